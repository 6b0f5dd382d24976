"""Tool names on the wire."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.protocols.names import called_name, name_in_id, own_name, wire_name

TRICKY = st.text(st.sampled_from("ab._-x2e工"), max_size=12)


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("lookup", "lookup"),
        ("tables.profile", "tables__profile"),
        ("web.fetch_page", "web__fetch_page"),
        ("a-b", "a-b"),
        ("a__b", "a-x5f--x5f-b"),
        ("查询", "-x67e5--x8be2-"),
    ],
)
def test_writes_a_name_with_allowed_characters_only(name: str, wire: str) -> None:
    """A dot becomes two underscores; anything that could be confused with that is escaped."""
    assert wire_name(name) == wire


@given(TRICKY | st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_every_name_comes_back(name: str) -> None:
    """The mapping loses nothing, and uses only what the wire allows."""
    wire = wire_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_-]*", wire)
    assert own_name(wire) == name


@given(st.lists(TRICKY, unique=True, max_size=6))
def test_different_names_stay_different(names: list[str]) -> None:
    """Two tools never share a name on the wire."""
    assert len({wire_name(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("wire", "meant"),
    [
        ("tables__profile", "tables.profile"),
        ("tables.profile", "tables.profile"),
        ("functions.tables__profile", "tables.profile"),
        ("functions.tables__profile:0", "tables.profile"),
        ("functions.lookup:12", "lookup"),
        ("made_up", "made_up"),
        ("made__up", "made.up"),
        ("functions.made_up:0", "functions.made_up:0"),
    ],
)
def test_finds_the_tool_that_a_model_means(wire: str, meant: str) -> None:
    """A model may write a tool's name as on the wire, as we do, or as `functions.<name>:<n>`."""
    assert called_name(wire, ["tables.profile", "lookup"]) == meant


def test_what_only_looks_like_an_escape_is_kept() -> None:
    """No model can name a character that does not exist."""
    assert own_name("a-xffffffffff-b") == "a-xffffffffff-b"


@pytest.mark.parametrize(
    ("call_id", "name"),
    [("functions.lookup:0", "lookup"), ("functions.invalid.0", None), ("0", None), ("call_1", None)],
)
def test_reads_a_name_out_of_an_id(call_id: str, name: str | None) -> None:
    """Some servers leave the name in the id alone; nothing is guessed from any other id."""
    assert name_in_id(call_id) == name
