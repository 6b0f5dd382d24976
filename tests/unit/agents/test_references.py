"""Finding what a team file names: right at once, or one line that says which part is wrong."""

from pathlib import Path

import pytest

from agents.references import nearest, resolved
from agents.tools.builtin.clock import clock
from orchestrator.errors import TeamError


def test_finds_an_attribute_of_a_module() -> None:
    """`module:attribute`."""
    assert resolved("agents.tools.builtin.clock:clock") is clock


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("agents.tools.builtin.clock", "this is no reference. Write it as `package.module:name`."),
        ("agents.tools:a.b", "this is no reference"),
        ("os.path:join; rm", "this is no reference"),
        ("shop.tools:refund", "there is no module `shop`. It must be importable on every worker"),
        ("agents.tools.nothing:x", "there is no module `agents.tools.nothing`"),
        ("agents.tools.builtin.clock:clok", "has no `clok`. Did you mean `clock`"),
    ],
)
def test_says_which_part_is_wrong(reference: str, told: str) -> None:
    """The form, the module or the name; always one line that begins with the reference."""
    with pytest.raises(TeamError) as caught:
        resolved(reference)
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"`{reference}`: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import no_such_library_anywhere", "needs the module `no_such_library_anywhere`, which is not installed"),
        ("raise ValueError('first line\\nsecond line')", "cannot be imported: ValueError: first line second line"),
        ("x = (", "cannot be imported: SyntaxError"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    ],
)
def test_a_module_that_does_not_import_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, told: str
) -> None:
    """Whatever a user's module does when it is imported."""
    name = f"broken_module_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TeamError) as caught:
        resolved(f"{name}:tool")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "names", "told"),
    [
        ("tols", ["tools", "model"], "Did you mean `tools`?"),
        ("xyz", ["tools", "model"], "It has: model, tools."),
        ("xyz", [], "It is empty."),
    ],
)
def test_names_what_comes_near(name: str, names: list[str], told: str) -> None:
    """What is similar, or else what there is."""
    assert nearest(name, names) == told
