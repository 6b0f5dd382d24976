"""Texts that tools made are taken in where a report names them."""

from orchestrator.domain.evidence import check, expand, includes

FILES = {"E4.2/table.md": "| a | b |\n|--|--|\n| x | 12.50 |\n", "E4.2/note.md": "It is 7 [E4.2].\n"}


def test_a_file_is_taken_in_with_its_source() -> None:
    """What cites nothing gets a source line, so that its figures have a source."""
    text, missing = expand("Before\n\n{{E4.2/table.md}}\n\nAfter", FILES)
    assert missing == ()
    assert text == "Before\n\n| a | b |\n|--|--|\n| x | 12.50 |\n\nSource: [E4.2]\n\nAfter"
    assert check(text, {"E4.2": {"x": 12.5}}) == ()


def test_a_file_that_cites_is_taken_in_as_it_is() -> None:
    """No second source line is set."""
    assert expand(" {{ E4.2/note.md }} ", FILES) == ("It is 7 [E4.2].", ())


def test_each_section_gets_its_source() -> None:
    """A heading ends what a source line covers, so each section has its own; one without figures needs none."""
    text, _ = expand("{{E1.1/r.md}}", {"E1.1/r.md": "# A\n\n1 x\n\n## B\n\nnone\n\n## C\n\n2 y"})
    assert text == "# A\n\n1 x\n\nSource: [E1.1]\n\n## B\n\nnone\n\n## C\n\n2 y\n\nSource: [E1.1]"
    assert check(text, {"E1.1": [1, 2]}) == ()


def test_a_figure_changed_in_a_file_is_found() -> None:
    """What was taken in is checked like the rest."""
    text, _ = expand("{{E4.2/table.md}}", FILES)
    [fault] = check(text.replace("12.50", "13.50"), {"E4.2": {"x": 12.5}})
    assert (fault.line, fault.kind, fault.citations) == (3, "not_found", ("E4.2",))


def test_a_file_that_is_not_there_is_said() -> None:
    """The text says so where it would stand, and the sentence names the files there are."""
    text, missing = expand("A\n{{E4.2/tabel.md}}", FILES)
    assert text == "A\n*(E4.2/tabel.md is missing)*"
    assert missing == (
        "Line 2: `{{E4.2/tabel.md}}` names no file that a tool made. Known: E4.2/note.md, E4.2/table.md.",
    )


def test_files_may_be_looked_up_by_a_function() -> None:
    """Nothing found and an error of looking up are the same."""

    def found(name: str) -> str | None:
        return FILES[name] if name.startswith("E4") else None

    assert expand("{{E4.2/note.md}}", found)[0] == "It is 7 [E4.2]."
    assert len(expand("{{E4.2/none.md}}\n{{E5.1/none.md}}", found)[1]) == 2


def test_an_include_inside_a_line_stays_and_is_a_fault() -> None:
    """So is one inside what was taken in: nothing is taken in twice."""
    text, missing = expand("See {{E4.2/note.md}} here", FILES)
    assert (text, missing) == ("See {{E4.2/note.md}} here", ())
    [fault] = check(text, {"E4.2": {}})
    assert fault.kind == "unknown_citation"
    assert "on a line of its own" in fault.mend
    nested, _ = expand("{{E1.1/a.md}}", {"E1.1/a.md": "{{E1.1/a.md}}"})
    assert nested.startswith("{{E1.1/a.md}}")


def test_no_source_line_is_set_into_code() -> None:
    """Inside a fence a file is taken in as it is."""
    assert expand("```\n{{E1.1/a.csv}}\n```", {"E1.1/a.csv": "a,1\n"})[0] == "```\na,1\n```"


def test_the_files_a_text_takes_in_are_listed() -> None:
    """So that they can be read before."""
    assert includes("{{E4.2/b.md}}\nx {{E4.2/c.md}}\n{{E4.2/b.md}}\r\n  {{E4.1/a b.md}}") == (
        "E4.2/b.md",
        "E4.1/a b.md",
    )
