"""The nearest citation governs a figure."""

import pytest

from orchestrator.domain.evidence.citations import cited, report

CASES = {
    "the next one in the paragraph": ("A @ is so. B is [E1.1].", "E1.1"),
    "not the one after that": ("A @ [E1.1] and B [E2.1].", "E1.1"),
    "behind the last one, those of the sentence": ("By [E1.1] and [E2.1] it is @.", "E1.1 E2.1"),
    "but not those of another sentence": ("It is so [E1.1]. And @ too.", ""),
    "an abbreviation ends no sentence": ("It is so [E1.1], i.e. about @.", "E1.1"),
    "over a wrapped line": ("A @ is\nso [E1.1].", "E1.1"),
    "not from the next paragraph": ("A @ is so.\n\nB [E1.1].", ""),
    "all of a row": ("| a | b | c |\n|--|--|--|\n| [E1.1] | @ | [E2.1] |", "E1.1 E2.1"),
    "the head of the column": ("| a [E1.1] | b [E2.1] |\n|--|--|\n| 1 | @ |", "E2.1"),
    "the head of the table": ("| a | b [E2.1] |\n|--|--|\n| @ | 2 |", "E2.1"),
    "the caption": ("Breaks by kind [E1.1]\n\n| a | b |\n|--|--|\n| x | @ |", "E1.1"),
    "the source line below": ("Other [E1.1]\n\n| a | b |\n|--|--|\n| x | @ |\n\nSource: [E2.1]", "E2.1"),
    "the rows, for the head": ("| a | @ |\n|--|--|\n| x | 1 [E1.1] |", "E1.1"),
    "an introduction": ("These are so [E1.1]:\n\n- a\n- b @", "E1.1"),
    "no introduction without a colon": ("These are so [E1.1].\n\n- a\n- b @", ""),
    "the item above": ("- a [E1.1]\n  - b @", "E1.1"),
    "not the item beside": ("- a [E1.1]\n- b @", ""),
    "the heading": ("# T [E1.1]\n\nA @.", "E1.1"),
    "the innermost heading that cites": ("# T [E1.1]\n\n## U [E2.1]\n\n### V\n\nA @.", "E2.1"),
    "not a heading whose section is over": ("# T\n\n## U [E2.1]\n\n## V\n\nA @.", ""),
    "the heading itself": ("## Sum @ [E1.1]", "E1.1"),
    "a source line for all above it": ("A @.\n\nB.\n\nSource: [E1.1, E1.2]", "E1.1 E1.2"),
    "a source line in Chinese": ("A @。\n\n来源：【E1.1】", "E1.1"),
    "a source line ends at the heading": ("A @.\n\n## B\n\nC.\n\nSource: [E1.1]", ""),
    "a fence from the paragraph above": ("As printed [E1.1]\n\n```\nx @\n```", "E1.1"),
    "groups side by side are one": ("A @ [E1.1][E2.1], [E3.1].", "E1.1 E2.1 E3.1"),
    "in small letters, with a file": ("A @ [see e1.1/table.md; E2.1].", "E1.1 E2.1"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_nearest_citation_governs(case: str) -> None:
    """The rules in the order that the module's docstring gives."""
    text, refs = CASES[case]
    assert report(text).governing(text.index("@")) == tuple(refs.split())


def test_the_observations_a_text_cites_are_listed_once() -> None:
    """In the order of their first citation; bare numbers are no citations."""
    assert cited("E9.9 [E2.1] x [E1.1, E2.1] and [E10.12]") == ("E2.1", "E1.1", "E10.12")
