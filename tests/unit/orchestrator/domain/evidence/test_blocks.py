"""Markdown is parted into its blocks."""

from orchestrator.domain.evidence.blocks import blocks

TEXT = """# 1. Title

A paragraph
over two lines.

- one
  goes on
  1. inner
- two

| a | b |
|---|---|
| 1 | 2\\|3 |

```
code | 1
```
---
last
"""


def test_each_kind_of_block_is_found() -> None:
    """Rules, fences and blank lines belong to no block; a row belongs to its table."""
    found = [(block.kind, TEXT[block.start : block.end]) for block in blocks(TEXT)]
    assert found == [
        ("heading", "# 1. Title"),
        ("text", "A paragraph\nover two lines."),
        ("item", "- one\n  goes on"),
        ("item", "  1. inner"),
        ("item", "- two"),
        ("header", "| a | b |"),
        ("row", "| 1 | 2\\|3 |"),
        ("code", "code | 1"),
        ("text", "last"),
    ]


def test_ordinals_are_told() -> None:
    """The numbers of headings and list items are no figures."""
    found = blocks(TEXT)
    assert [TEXT[slice(*block.ordinal)] for block in found if block.ordinal] == ["1.", "1."]


def test_cells_are_parted_at_bars_that_are_not_escaped() -> None:
    """`\\|` is part of its cell, with and without outer bars."""
    text = "| 1 | 2\\|3 |\n\na | b\n--|--\n4 | 5"
    cells = [[text[slice(*cell)].strip() for cell in block.cells] for block in blocks(text)]
    assert cells == [["1", "2\\|3"], ["a", "b"], ["4", "5"]]


def test_items_of_a_list_and_rows_of_a_table_share_a_group() -> None:
    """What stands together is told from what follows."""
    found = {TEXT[block.start : block.start + 5]: block.group for block in blocks(TEXT)}
    assert found["- one"] == found["- two"] != 0
    assert found["| a |"] == found["| 1 |"] != found["- one"]
