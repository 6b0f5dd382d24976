"""Cutting documents into passages: small enough to show, whole where they can be, nothing lost between them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.documents.document import Document, Kind, Page
from agents.tools.builtin.documents.passages import USUAL, Passage, passages
from agents.tools.builtin.documents.scripts import weight


def cut(text: str, kind: Kind = "markdown") -> tuple[Passage, ...]:
    """The passages of a text."""
    return passages(Document(kind, "t", (Page(text),)))


def solid(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def test_a_short_document_is_one_passage() -> None:
    """With all of its small sections."""
    found = cut("# Policy\n\nIntro.\n\n## Fees\n\nThe fee is 4.5 %.")
    assert found == (Passage(1, "# Policy\n\nIntro.\n\n## Fees\n\nThe fee is 4.5 %.", "Policy", None),)


def test_a_section_begins_a_passage() -> None:
    """Once the one before it is large enough; it knows the headings it stands under."""
    found = cut(f"# Policy\n\n{'Words. ' * 60}\n\n## Fees\n\nThe fee.\n\n{'More. ' * 60}\n\n## Term\n\nThree months.")
    assert [(one.number, one.heading) for one in found] == [(1, "Policy"), (2, "Policy › Fees"), (3, "Policy › Term")]
    assert found[1].text.startswith("## Fees\n\nThe fee.")


def test_a_heading_ends_those_below_it() -> None:
    """`1 › 1.1` is followed by `2`, not by `2 › 1.1`."""
    filler = "Words. " * 60
    found = cut(f"# 1\n\n{filler}\n\n## 1.1\n\n{filler}\n\n# 2\n\n{filler}")
    assert [one.heading for one in found] == ["1", "1 › 1.1", "2"]


def test_hashes_are_headings_only_in_markup() -> None:
    """In a plain text they are what they are."""
    assert [one.heading for one in cut("# not a heading\n\ntext", "text")] == [""]


def test_a_passage_of_a_pdf_lies_on_one_page() -> None:
    """So that a page can be named with it."""
    found = passages(Document("pdf", "t", (Page("one", 1), Page("", 2), Page("two", 3))))
    assert [(one.text, one.page) for one in found] == [("one", 1), ("two", 3)]


def test_a_long_text_is_cut_between_sentences() -> None:
    """In English and in Chinese, which says more with fewer characters."""
    english = " ".join(f"This is sentence number {number} of the text." for number in range(100))
    chinese = "".join(f"这是第{number}句话，内容不长。" for number in range(200))
    for text in (english, chinese):
        found = cut(text)
        assert solid("".join(one.text for one in found)) == solid(text)
        assert all(one.text.endswith((".", "。")) for one in found)
        assert all(USUAL / 2 < weight(one.text) <= USUAL for one in found[:-1])


def test_a_long_table_keeps_its_head() -> None:
    """Every part says what its columns are."""
    rows = [f"| {number} | a longer cell with words |" for number in range(100)]
    found = cut("\n".join(["| no | text |", "| --- | --- |", *rows]))
    assert len(found) > 2
    assert all(one.text.startswith("| no | text |\n| --- | --- |\n| ") for one in found)
    assert [line for one in found for line in one.text.split("\n")[2:]] == rows


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=200),
        st.sampled_from(["# Eins", "### Zwei ###", "| a |", "x" * 5_000, "长" * 3_000, "w " * 2_000, "S. " * 900]),
    ),
    max_size=12,
).map("\n\n".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(["markdown", "text"]))
def test_nothing_is_lost_and_nothing_is_too_long(text: str, kind: Kind) -> None:
    """All characters are there, in order; numbers count from 1; none weighs more than is usual, headings aside."""
    found = cut(text, kind)
    assert solid("".join(one.text for one in found)) == solid(text)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert all(one.text.strip() and weight(one.text) <= USUAL + 200 for one in found)
