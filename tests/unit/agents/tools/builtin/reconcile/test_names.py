"""Names of parties: what a bank does to them and still is the same party."""

import pytest

from agents.tools.builtin.reconcile.names import AGREE, SAME, Names, block_keys, folded, repaired


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("Jasper Textiles", "Jasper Te."),
        ("Northfield Dairy", "NORTHFIEL."),
        ("Société Lumière", "SOCIETE LUMIERE"),
        ("Société Lumière", "SociÃ©tÃ© LumiÃ¨re"),
        ("Møller Frø", "Moller Fro"),
        ("Møller Frø", "Moeller Froe"),
        ("Grünwald GmbH", "GRUENWALD"),
        ("Lindqvist AB", "Lindqvist."),
        ("Tooling Acme", "Acme Tooling"),
        ("深圳华创电子", "深圳华创"),
        ("Cedar & Sons", "CEDAR AND SONS"),
    ],
)
def test_the_same_party_under_another_spelling(written: str, printed: str) -> None:
    """Cut, shouted, without accents, in a broken encoding, without legal form: the same party, either way round."""
    names = Names()
    score = names.score(written, printed)
    assert score is not None
    assert score >= SAME
    assert names.score(printed, written) == score


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme Tooling", "Kestrel Air"),
        ("Jasper Textiles", "Jasmin Taxis"),
        ("深圳华创电子", "上海晨光贸易"),
        ("Bo", "Bob Ross"),
    ],
)
def test_other_parties_do_not_agree(one: str, other: str) -> None:
    """Different names stay below the threshold of agreement."""
    score = Names().score(one, other)
    assert score is not None
    assert score < AGREE


def test_a_missing_name_says_nothing() -> None:
    """An empty name is neither alike nor unlike."""
    assert Names().score("", "Acme") is None
    assert Names().score("Acme", " - ") is None


def test_folding_keeps_a_name_that_is_only_a_legal_form() -> None:
    """Legal forms are dropped, unless nothing would be left."""
    assert folded("Grünwald GmbH") == "grunwald"
    assert folded("AG") == "ag"


def test_only_broken_text_is_repaired() -> None:
    """A name with real accents is left alone."""
    assert repaired("SociÃ©tÃ©") == "Société"
    assert repaired("Ångström Ä") == "Ångström Ä"


def test_block_keys_meet_for_a_cut_name() -> None:
    """Two spellings of one party share a key, so they meet without comparing all pairs."""
    assert set(block_keys(folded("Jasper Textiles"))) & set(block_keys(folded("JASPER TE.")))
    assert block_keys(folded("深圳华创")) == block_keys(folded("深圳华创电子"))
