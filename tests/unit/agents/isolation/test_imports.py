"""Learning what to import before a fork: only what was seen to import without starting threads."""

from agents.isolation.conversation import Spoken
from agents.isolation.imports import Imports, Plan
from agents.tools.function import ToolResult

RESULT = ToolResult("done")


def test_our_own_modules_are_trusted_at_once() -> None:
    """Tools that ship are imported before the first child; a user's module is not."""
    imports = Imports()
    assert imports.of("agents.tools.builtin.clock:clock") == Plan(("agents.tools.builtin.clock",), ())
    assert imports.of("shop.tools:refund") == Plan((), ())


def test_a_users_module_is_imported_early_once_it_was_seen_to_be_quiet() -> None:
    """First call: seen. Second: forked with it; what it imported late is tried early by the child. Third: all early."""
    imports = Imports()
    address = "shop.tools:refund"
    first = imports.of(address)
    imports.learn(address, first, Spoken(RESULT, 1, ("stripe",)))
    second = imports.of(address)
    assert second == Plan(("shop.tools",), ("stripe",))
    imports.learn(address, second, Spoken(RESULT, 1, ()))
    assert imports.of(address) == Plan(("shop.tools", "stripe"), ())


def test_what_starts_threads_stays_with_the_children() -> None:
    """A fork of a process with threads is not safe: such a module is never imported before it."""
    imports = Imports()
    address = "shop.tools:refund"
    imports.learn(address, imports.of(address), Spoken(RESULT, 1, ("numpy",)))
    imports.learn(address, imports.of(address), Spoken(RESULT, 8, ()))
    assert imports.of(address) == Plan(("shop.tools",), ("numpy",))
