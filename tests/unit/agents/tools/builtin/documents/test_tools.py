"""Searching and reading the run's documents: in any script, with ids to cite, and advice when nothing is found."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.observing import succeeded
from agents.tools.builtin.documents.read import read
from agents.tools.builtin.documents.search import search
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext
from agents.trimming import parse_shown
from orchestrator.domain.step import StepCall
from orchestrator.ports.clock import Deadline

FILLER = "Nothing of interest is written in this sentence. " * 20
POLICY = f"""# Refund policy

{FILLER}

## Fees

The processing fee is 4.5 % of the order. Customers of the premium plan pay none.

{FILLER}

## Termination

The notice period for termination is three months.
"""
CONTRACT = (
    "第一条 甲方应当支付违约金，比例为合同金额的百分之五。\n\n第二条 合同终止后三个月内付清全部款项。税由乙方承担。"
)
Bytes = Callable[..., bytes]


@pytest.fixture
def context(tmp_path: Path, pdf_of: Bytes) -> LocalContext:
    """Four documents, a table and a picture."""
    contents = {
        "policy.md": POLICY.encode(),
        "contract.txt": CONTRACT.encode("gb18030"),
        "report.pdf": pdf_of(["Revenue was 1,234.50 in total."], ["Über Lieferantenverträge und Gebühren."]),
        "lore.html": "<title>पृष्ठ</title><p>हिन्दी में शुल्क चार प्रतिशत है।</p><p>ภาษาไทยไม่มีช่องว่าง</p>".encode(),
        "ledger.csv": b"a,b\n1,2\n",
        "photo.png": b"\x89PNG\r\n\x1a\n0000",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    inputs = {Path(name).stem: tmp_path / name for name in contents}
    return LocalContext(inputs=inputs, settings={"cache": str(tmp_path / "cache")})


@pytest.fixture
def found(context: LocalContext) -> Callable[..., ToolResult]:
    """Search the documents."""

    def run(query: str, **arguments: Any) -> ToolResult:
        result = search.run(search.arguments(query=query, **arguments), context)
        assert isinstance(result, ToolResult)
        return result

    return run


@pytest.fixture
def page(context: LocalContext) -> Callable[..., ToolResult]:
    """Read in the documents."""

    def run(document: str, **arguments: Any) -> ToolResult:
        result = read.run(read.arguments(document=document, **arguments), context)
        assert isinstance(result, ToolResult)
        return result

    return run


Run = Callable[..., ToolResult]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("notice period termination", "policy#3"),
        ("terminate", "policy#3"),
        ("PROCESSING FEES", "policy#2"),
        ("4.5", "policy#2"),
        ("1,234.50", "report#1"),
        ("违约金", "contract#1"),
        ("合同终止", "contract#1"),
        ("税", "contract#1"),
        ("百分之五 付清", "contract#1"),
        ('"终止后三个月"', "contract#1"),
        ('"premium plan"', "policy#2"),
        ("Lieferant", "report#2"),
        ("ueber OR Uber", "report#2"),
        ("ＧＥＢÜＨＲＥＮ", "report#2"),
        ("शुल्क", "lore#1"),
        ("ไทย", "lore#1"),
    ],
)
def test_finds_in_any_script(found: Run, query: str, best: str) -> None:
    """By stem, by the beginning of a word, by characters, as a phrase; without case, accents and width."""
    assert found(query).data["passages"][0]["id"] == best


def test_a_phrase_is_not_its_words(found: Run) -> None:
    """In quotes, words have to stand behind each other."""
    assert found('"period notice"').empty
    assert found('"合同 终止后三个"').data["passages"][0]["id"] == "contract#1"
    assert found('"三个月 付清"').empty


def test_passages_with_all_words_come_first(found: Run) -> None:
    """Those with some follow, and say so."""
    result = found("processing interest premium", limit=3)
    assert [(one["id"], one["has_all_words"]) for one in result.data["passages"]] == [
        ("policy#2", True),
        ("policy#1", False),
    ]
    assert result.summary == "Passages with all the words: 1; with any of them: 2. The best: policy#2, policy#1."
    assert "No passage has all the words" in found("premium 违约金").summary


def test_a_passage_says_where_it_stands(found: Run) -> None:
    """Its page and its headings, for the citation."""
    passage = found("Revenue").data["passages"][0]
    assert (passage["page"], passage["text"]) == (1, "Revenue was 1,234.50 in total.")
    assert found("termination").data["passages"][0]["heading"] == "Refund policy › Termination"


def test_searches_one_document(found: Run) -> None:
    """By the input's name or the file's."""
    assert found("fee revenue", document="policy").data["searched"] == ["policy"]
    assert {one["document"] for one in map(_place, found("fee revenue", document="report.pdf").data["passages"])} == {
        "report"
    }


def _place(passage: dict[str, Any]) -> dict[str, str]:
    return {"document": passage["id"].partition("#")[0]}


def test_says_what_was_not_searched(found: Run) -> None:
    """Inputs that are no documents, each with its reason."""
    assert found("fee").data["not_searched"] == [
        "ledger (ledger.csv): this is a table",
        "photo (photo.png): this is a PNG image",
    ]


def test_nothing_found_says_what_to_try(found: Run) -> None:
    """Words that are spelled alike, and where it was looked."""
    result = found("procezzing preemium")
    assert result.empty
    assert result.data["similar_words"][:2] == ["processing", "premium"]
    assert "Nothing in policy, contract, report, lore has any of these words." in result.summary
    assert "Words in them that look alike: processing, premium" in result.summary


@pytest.mark.parametrize(
    "query", ['"', "AND", "a* (b OR", "NEAR(x y)", "heading: fee", "fee; DROP TABLE search", "-fee"]
)
def test_no_query_breaks_the_index(found: Run, query: str) -> None:
    """What is syntax elsewhere is a word here, or nothing."""
    try:
        found(query)
    except ToolError as error:
        assert error.code == "invalid_arguments"


def test_without_documents_there_is_nothing_to_search(tmp_path: Path) -> None:
    """It says why each input is none."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    context = LocalContext(inputs={"x": tmp_path / "x.csv"}, settings={"cache": str(tmp_path / "cache")})
    result = search.run(search.arguments(query="fee"), context)
    assert isinstance(result, ToolResult)
    assert result.empty
    assert "x (x.csv): this is a table" in result.summary


def test_reads_from_the_start_with_an_outline(page: Run) -> None:
    """Which headings there are and where they begin."""
    data = page("policy").data
    assert [one["id"] for one in data["passages"]] == ["policy#1", "policy#2", "policy#3"]
    assert data["outline"] == [
        {"heading": "Refund policy", "id": "policy#1"},
        {"heading": "Refund policy › Fees", "id": "policy#2"},
        {"heading": "Refund policy › Termination", "id": "policy#3"},
    ]
    assert (data["total_passages"], data["next"]) == (3, None)


@pytest.mark.parametrize("arguments", [{"document": "policy", "passage": 2}, {"document": "policy#2"}])
def test_reads_on_from_a_passage(page: Run, arguments: dict[str, Any]) -> None:
    """By number or by id."""
    result = page(**arguments, count=1)
    assert [one["id"] for one in result.data["passages"]] == ["policy#2"]
    assert result.data["next"] == "policy#3"
    assert result.summary == "policy.md: passage 2 of 3. Go on with policy#3."


def test_reads_a_page(page: Run) -> None:
    """Of a PDF."""
    data = page("report", page=2).data
    assert [one["text"] for one in data["passages"]] == ["Über Lieferantenverträge und Gebühren."]
    assert data["pages"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        ({"document": "polcy"}, "unknown_document", "There are: policy,"),
        ({"document": "ledger"}, "not_a_document", "tables.query"),
        ({"document": "policy", "passage": 4}, "unknown_passage", "They are policy#1 to policy#3."),
        ({"document": "report", "page": 3}, "unknown_page", "Take a smaller number."),
        ({"document": "policy", "page": 1}, "unknown_page", "Read it by passage: 1 to 3."),
    ],
)
def test_says_what_there_is_instead(page: Run, arguments: dict[str, Any], code: str, hint: str) -> None:
    """Nearest names first."""
    with pytest.raises(ToolError) as caught:
        page(**arguments)
    assert caught.value.code == code
    assert hint in str(caught.value.mend)


def test_a_long_document_is_read_without_a_gap(tmp_path: Path) -> None:
    """Following `next` from the start, every passage once; each answer is shown whole."""
    text = "\n\n".join(f"Paragraph {number}. " + f"Word{number} " * 120 for number in range(60))
    (tmp_path / "long.txt").write_text(text, "utf-8")
    context = LocalContext(inputs={"long": tmp_path / "long.txt"}, settings={"cache": str(tmp_path / "cache")})
    seen: list[str] = []
    following, total = "long#1", 0
    while following:
        result = read.run(read.arguments(document=following, count=50), context)
        assert isinstance(result, ToolResult)
        shown = parse_shown(succeeded(StepCall(id="c1.0", tool="documents.read"), "E1.1", result).shown)
        assert shown["data"] == result.data
        seen += [one["id"] for one in result.data["passages"]]
        following, total = result.data["next"], result.data["total_passages"]
    assert seen == [f"long#{number}" for number in range(1, total + 1)]


def test_documents_are_read_once(found: Run, tmp_path: Path) -> None:
    """For their content: another search builds nothing, from several threads at once as well."""
    with ThreadPoolExecutor(4) as pool:
        first = list(pool.map(found, ["fee"] * 6))
    assert len({str(one.data) for one in first}) == 1
    kept = sorted((tmp_path / "cache").iterdir())
    assert len(kept) == 7
    found("termination")
    assert sorted((tmp_path / "cache").iterdir()) == kept


def test_runs_in_a_child_process(context: LocalContext) -> None:
    """As for an agent."""
    isolation = Isolation()
    try:
        one = isolation.run(search, search.arguments(query="违约金"), context, Deadline.after(60))
        other = isolation.run(read, read.arguments(document="report", page=1), context, Deadline.after(60))
    finally:
        isolation.close()
    assert isinstance(one, ToolResult)
    assert isinstance(other, ToolResult)
    assert one.data["passages"][0]["id"] == "contract#1"
    assert other.data["passages"][0]["text"] == "Revenue was 1,234.50 in total."
