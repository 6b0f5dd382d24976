"""The house rules that can be read off the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("orchestrator", "agents", "workers")
FORBIDDEN_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|handlers?|misc)(_|$)")
MOST_LINES = 400
MOST_FUNCTION_LINES = 60
USUAL_FUNCTION_LINES = 30


def modules() -> list[Path]:
    """All Python files of the three packages."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function, from its head to its end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_about_one_thing(path: Path) -> None:
    """A module says in its head what it is about, and has up to 400 lines."""
    source = path.read_text("utf-8")
    assert ast.get_docstring(ast.parse(source)), "the module has no sentence at its head"
    assert source.count("\n") <= MOST_LINES


def test_functions_are_short() -> None:
    """No function has more than 60 lines, and nine in ten have at most 30."""
    long = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in modules()
        for node in functions(path)
        if length(node) > MOST_FUNCTION_LINES and not _only_nested(node)
    ]
    assert long == []
    lengths = [length(node) for path in modules() for node in functions(path)]
    assert sum(1 for one in lengths if one <= USUAL_FUNCTION_LINES) >= 0.9 * len(lengths)


def _only_nested(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A function that only declares others (a group of commands): each of them is measured by itself."""
    inner = sum(length(one) for one in node.body if isinstance(one, ast.FunctionDef))
    return length(node) - inner <= USUAL_FUNCTION_LINES


def test_names_say_what_a_thing_is() -> None:
    """No module, class or function is called utils, helper, manager or handler."""
    found = [str(path.relative_to(ROOT)) for path in modules() if FORBIDDEN_NAMES.search(path.stem)]
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower()
                if FORBIDDEN_NAMES.search(snake):
                    found.append(f"{path.relative_to(ROOT)}:{node.name}")
    assert found == []


def test_the_environment_is_read_in_one_place() -> None:
    """Only orchestrator/config.py reads the environment."""
    readers = [str(path.relative_to(ROOT)) for path in modules() if _reads_environment(path)]
    assert readers == ["orchestrator/config.py"]


def _reads_environment(path: Path) -> bool:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os"}
    imported = {
        one.name for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "os" for one in node.names
    }
    return bool((attributes | imported) & {"environ", "environb", "getenv"})


def test_the_engine_knows_no_job() -> None:
    """No word of reconciliation in the domain, the engine, or the loop: a job type is a team and its tools."""
    places = [*(ROOT / "orchestrator/domain").rglob("*.py"), *(ROOT / "orchestrator/engine").rglob("*.py")]
    places += [ROOT / "agents/react.py", ROOT / "agents/roles.py", ROOT / "workers/turn.py"]
    words = re.compile(r"reconcil|bank statement|invoice", re.IGNORECASE)
    allowed = {"orchestrator/domain/evidence"}
    found = [
        str(path.relative_to(ROOT))
        for path in places
        if words.search(path.read_text("utf-8")) and not any(str(path.relative_to(ROOT)).startswith(a) for a in allowed)
    ]
    assert found == []
