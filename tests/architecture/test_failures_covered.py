"""docs/failures.md names a test for each of the 66 failures, and each test that it names is there."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAILURES = 66
ROW = re.compile(r"^\| (\d+) \|.*\|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[^`\s]+?\.py)(?:::(\w+))?`")


def rows() -> list[re.Match[str]]:
    """The rows of all tables."""
    return list(ROW.finditer((ROOT / "docs" / "failures.md").read_text("utf-8")))


@cache
def functions_of(path: Path) -> frozenset[str]:
    """The test functions of a file; none of a file that is not there."""
    tree = ast.parse(path.read_text("utf-8") if path.is_file() else "")
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_")


def test_each_failure_has_a_row() -> None:
    """In order, each once."""
    assert [int(row[1]) for row in rows()] == list(range(1, FAILURES + 1))


def test_each_row_names_tests_that_are_there() -> None:
    """A test that was renamed or deleted is missed here, not by whoever reads the page."""
    gone: list[str] = []
    for row in rows():
        named = NAMED.findall(row[0])
        assert named, f"row {row[1]} names no test"
        assert row[0].count("tests/") == len(named), f"row {row[1]} names something that is no test"
        for path, name in named:
            there = functions_of(ROOT / path)
            if not (name in there if name else there):
                gone.append(f"{row[1]}: {path}::{name}")
    assert gone == []
