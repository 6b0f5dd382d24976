"""Python in the sandbox: the run's data comes in, results, pictures and files come out, and nothing else."""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.builtin.code import sandbox
from agents.tools.builtin.code.python import python
from agents.tools.builtin.code.sandbox import MODULES, run_sandboxed
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext
from orchestrator.ports.clock import Deadline

SALES = """Monat;Region;Betrag
01.01.2026;Nord;1.200,50
01.02.2026;Süd 上海;800,25
01.03.2026;Nord;-100,00
"""
Run = Callable[[str], ToolResult]


@pytest.fixture
def context(tmp_path: Path) -> LocalContext:
    """A run with one table and one observation."""
    (tmp_path / "sales.csv").write_text(SALES, "utf-8")
    return LocalContext(
        inputs={"sales": tmp_path / "sales.csv"},
        observations={"E1.1": {"rows": [{"n": 3}]}},
        settings={"cache": str(tmp_path / "cache")},
    )


@pytest.fixture
def ran(context: LocalContext) -> Run:
    """Run code."""

    def run(code: str) -> ToolResult:
        result = python.run(python.arguments(code=code), context)
        assert isinstance(result, ToolResult)
        return result

    return run


@pytest.fixture
def failed(ran: Run) -> Callable[[str], ToolError]:
    """Run code that fails."""

    def run(code: str) -> ToolError:
        with pytest.raises(ToolError) as caught:
            ran(code)
        return caught.value

    return run


Failed = Callable[[str], ToolError]


def test_computes_exactly_with_the_runs_tables(ran: Run) -> None:
    """Numbers of a table are decimals, dates are dates."""
    result = ran("rows = table('sales')\nsum(r['Betrag'] for r in rows)")
    assert result.data == {"result": "1900.75", "printed": "", "files": []}
    assert result.summary == "Result: 1900.75"
    assert ran("table('sales')[1]").data["result"] == {
        "_row": 2,
        "Monat": "2026-02-01",
        "Region": "Süd 上海",
        "Betrag": "800.25",
    }


def test_asks_with_sql_and_sees_observations(ran: Run) -> None:
    """As the tools of these names do."""
    assert ran("query('SELECT Region, sum(Betrag) AS s FROM sales GROUP BY 1 ORDER BY 1')").data["result"] == [
        {"Region": "Nord", "s": "1100.50"},
        {"Region": "Süd 上海", "s": "800.25"},
    ]
    assert ran("observed('E1.1')['rows'][0]['n'] + 1").data["result"] == 4


def test_what_is_printed_comes_back(ran: Run) -> None:
    """With the result, or alone."""
    assert ran("print('größe', 1)\nprint('上海')").data["printed"] == "größe 1\n上海\n"
    long = ran("print('a' * 20000)\n'done'")
    assert long.data["printed"] == "a" * 20_000 + "\n"
    assert len(long.shown["printed"]) < 3_000
    assert long.shown["result"] == "done"


def test_draws_and_keeps_files(ran: Run) -> None:
    """Charts as SVG, rows as CSV, texts; each under the name it was given."""
    result = ran(
        "rows = table('sales')\n"
        "first = chart('bar', rows, x='Monat', y='Betrag', title='Umsatz 收入')\n"
        "second = chart('line', rows, 'Monat', 'Betrag', name='verlauf')\n"
        "save('clean.csv', [{'r': r['Region'], 'b': r['Betrag']} for r in rows])\n"
        "save('notes.md', '# 备注')\n"
        "[first, second]"
    )
    assert result.data["result"] == ["chart-1.svg", "verlauf.svg"]
    assert result.data["files"] == ["chart-1.svg", "clean.csv", "notes.md", "verlauf.svg"]
    assert "收入".encode() in result.artifacts["chart-1.svg"]
    assert result.artifacts["clean.csv"].decode() == "r,b\r\nNord,1200.50\r\nSüd 上海,800.25\r\nNord,-100.00\r\n"
    assert result.artifacts["notes.md"].decode() == "# 备注"


def test_code_in_a_fence_is_run(ran: Run) -> None:
    """As models write it."""
    assert ran("```python\n1 + 1\n```").data["result"] == 2


def test_code_that_gives_nothing_back_says_so(ran: Run) -> None:
    """And how it would."""
    result = ran("x = 1")
    assert result.empty
    assert "end it with an expression" in result.summary


@pytest.mark.parametrize(
    ("code", "what", "hint"),
    [
        ("x = 1\n1 / 0", "line 2 (`1 / 0`): ZeroDivisionError: division by zero", "run all of it again"),
        (
            "def f(r):\n    return r['b']\n\nf({'a': 1})",
            "line 2, called from line 4 (`return r['b']`): KeyError: b",
            "run all of it again",
        ),
        ("x = [1\ny = 2", "line 2 (`y = 2`): SyntaxError", "plainer way"),
        ("import pandas", "No module named 'pandas'", "There are only: asyncio"),
        ("df.head()", "NameError: name 'df' is not defined", "table, query, observed, chart, save"),
        ("table('ledger')", "no input `ledger`. There are: sales", "run all"),
        ("query('SELECT Betrg FROM sales')", 'Candidate bindings: "Betrag"', "run all"),
        ("observed('E9.9')", "no observation `E9.9`", "run all"),
        ("chart('bar', table('sales'), x='Monat', y='Umsatz')", "they have: _row, Monat, Region, Betrag", "run all"),
        ("chart()", "TypeError: chart() missing 2 required", "run all"),
        ("save('../x.csv', 'a,b')", "it has a path in it", "run all"),
        ("save('x.csv', 3)", "rows are wanted", "run all"),
        ("print('so far')\n1 / 0", "It had printed: …so far", "run all"),
        ("x = 1\ndef f(): yield 1", "line 2 (`def f(): yield 1`): NotImplementedError", "plainer way"),
    ],
)
def test_errors_say_where_and_what_to_do(failed: Failed, code: str, what: str, hint: str) -> None:
    """The line, its text, the error; what there is instead."""
    error = failed(code)
    assert error.code == "code_failed"
    assert what in error.what
    assert hint in str(error.mend)


def test_the_code_can_catch_errors_of_the_host(ran: Run) -> None:
    """They are ValueErrors there."""
    code = "try:\n    table('x')\nexcept ValueError as error:\n    said = str(error)\nsaid"
    assert ran(code).data["result"] == "the goal has no input `x`. There are: sales."


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        "import os\nos.environ['HOME']",
        "import os\nos.listdir('/')",
        "import os\nos.system('ls')",
        "import socket",
        "import subprocess",
        "__import__('os').system('ls')",
        "().__class__.__bases__[0].__subclasses__()",
        "query(\"SELECT * FROM read_text('/etc/passwd')\")",
        "save('/tmp/x.txt', 'x')",
        "table.__globals__",
        "import sys\nsys.modules['os'].system('ls')",
    ],
)
def test_reaches_nothing_of_the_host(failed: Failed, code: str) -> None:
    """No files, no environment, no network, no processes, by none of the usual ways."""
    assert failed(code).code == "code_failed"


def test_time_is_limited() -> None:
    """Also against code that catches everything."""
    code = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    with pytest.raises(ToolError) as caught:
        run_sandboxed(code, {}, 0.3)
    assert "TimeoutError" in caught.value.what
    assert "query()" in str(caught.value.mend)


def test_sleeping_takes_no_time(ran: Run) -> None:
    """Nothing is worth waiting for in there."""
    assert ran("import time\ntime.sleep(3600)\n'awake'").data["result"] == "awake"


@pytest.mark.parametrize("code", ["'a' * 10**9", "x = []\nwhile True: x.append('a' * 100000)", "2 ** 10**10"])
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """In one piece or in many."""
    monkeypatch.setattr(sandbox, "MEMORY", 20_000_000)
    with pytest.raises(ToolError, match=r"held more than 20 MB|OverflowError"):
        run_sandboxed(code, {}, 10)


def test_printing_is_limited() -> None:
    """However long it goes on."""
    with pytest.raises(ToolError, match="more than 500,000 bytes were printed") as caught:
        run_sandboxed("while True: print('x' * 1000)", {}, 5)
    assert len(caught.value.what) < 600
    assert "Print less" in str(caught.value.mend)


def test_calls_of_the_host_are_limited(failed: Failed) -> None:
    """And what it keeps."""
    assert "called more than 2,000 times" in failed("while True: observed('E1.1')").what
    assert "files at most" in failed("for n in range(50): save(f'{n}.txt', 'x')").what
    assert "can be kept" in failed("save('x.txt', 'x' * 10_000_001)").what


@pytest.mark.parametrize("code", ["float('nan')", "{(1, 2): 3}", "10 ** 5000", "class A: pass\nA()", "len", "b'bytes'"])
def test_results_that_cannot_be_kept(failed: Failed, code: str) -> None:
    """Say so, and what can."""
    error = failed(code)
    assert error.code == "unstorable_result"
    assert "plain values" in str(error.mend)


def test_runs_alike_each_time(ran: Run) -> None:
    """Chance begins at the same point; sets come in order."""
    assert ran("import random\nrandom.random()").data == ran("import random\nrandom.random()").data
    assert ran("{3, 1, 2}").data["result"] == [1, 2, 3]


def test_nothing_is_left_of_an_earlier_call(ran: Run, failed: Failed) -> None:
    """Each call is a sandbox of its own."""
    ran("kept = 1")
    assert "NameError" in failed("kept").what


@pytest.mark.parametrize("module", re.split(r",\s*", MODULES))
def test_every_module_that_is_promised_is_there(ran: Run, module: str) -> None:
    """The description names no other."""
    assert ran(f"import {module}\n'imported'").data["result"] == "imported"


def test_values_keep_their_kinds(ran: Run) -> None:
    """On the way in and out: decimals, dates, nesting, no rows."""
    assert ran("type(table('sales')[0]['Betrag']).__name__").data["result"] == "Decimal"
    assert ran(
        "from datetime import date\nquery('SELECT max(Monat) AS m FROM sales')[0]['m'] == date(2026, 3, 1)"
    ).data["result"]
    assert ran("query('SELECT * FROM sales WHERE false')").data["result"] == []
    assert date(2026, 3, 1).isoformat() == ran("query('SELECT max(Monat) AS m FROM sales')[0]['m']").data["result"]
    assert Decimal(ran("query('SELECT 10.10 AS x')[0]['x'] * 3").data["result"]) == Decimal("30.30")


def test_runs_in_a_child_process(context: LocalContext) -> None:
    """As for an agent, with its files."""
    isolation = Isolation()
    try:
        arguments = python.arguments(
            code="chart('pie', query('SELECT 1 AS a, 2 AS b'), x='a', y='b')\nlen(table('sales'))"
        )
        result = isolation.run(python, arguments, context, Deadline.after(60))
    finally:
        isolation.close()
    assert isinstance(result, ToolResult)
    assert result.data["result"] == 3
    assert result.artifacts["chart-1.svg"].startswith(b"<?xml")


@pytest.mark.parametrize(
    ("code", "what"), [("print('x' * 600_000)", "500,000 bytes were printed"), ("[0] * 10**9", "held more than 300 MB")]
)
def test_a_limit_of_the_sandbox_is_not_that_of_its_process(context: LocalContext, code: str, what: str) -> None:
    """In a child process too the agent reads which limit its code came to, and in which line."""
    isolation = Isolation()
    try:
        with pytest.raises(ToolError) as caught:
            isolation.run(python, python.arguments(code=code), context, Deadline.after(60))
    finally:
        isolation.close()
    assert caught.value.code == "code_failed"
    assert what in caught.value.what
