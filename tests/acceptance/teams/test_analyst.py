"""`remit analyst` as people use it: a table goes in; a clean table, a chart and a report come out."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent
TABLE = FOLDER.parents[2] / "agents" / "teams" / "analyst" / "harbour.csv"
CLEAN = """\
_row,date,ship,pier,tons,crew
1,2026-03-01,Aurora,North,412.5,11
2,2026-03-01,Bellwether,South,388.0,9
3,2026-03-02,Aurora,North,405.0,11
4,2026-03-02,Calliope,North,512.4,14
7,2026-03-03,Aurora,North,398.5,11
8,2026-03-04,Bellwether,South,391.5,9
9,2026-03-04,Calliope,North,530.1,14
10,2026-03-05,Dunlin,South,120.0,6
11,2026-03-05,Aurora,North,4010.0,11
12,2026-03-06,Bellwether,South,379.5,9
14,2026-03-07,Dunlin,South,131.5,6
"""


def test_a_table_becomes_a_clean_one_with_a_chart(remit: Any, tmp_path: Path) -> None:
    """Each kept row says which one it was; the report shows the chart and counts what was changed, with its source."""
    out = tmp_path / "out"
    with serve(FOLDER / "analyst.yaml") as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}
        ended = remit("analyst", str(TABLE), "--out", str(out), "--no-ask", **env)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert sorted(path.name for path in out.iterdir()) == ["chart-1.svg", "clean.csv", "report.md", "result.json"]
    assert (out / "clean.csv").read_text("utf-8").splitlines() == CLEAN.splitlines()
    said = [element.text for element in ElementTree.parse(out / "chart-1.svg").iter() if element.text]
    assert said[0] == "Tons by ship"
    assert [ship for ship in said if ship.isalpha()] == ["Aurora", "Bellwether", "Calliope", "Dunlin"]
    assert (out / "report.md").read_text("utf-8").splitlines() == [
        "![Tons by ship](chart-1.svg)",
        "",
        "11 of 15 rows are left in clean.csv: 2 stood there twice, 2 had no tons, and 4 names were spelt another way "
        "[E2.2]. 4010.0 tons in one row look odd and were left in [E2.2].",
    ]
    counts = json.loads((out / "result.json").read_text("utf-8"))["result"]
    assert counts == {"before": 15, "after": 11, "twice": 2, "aside": 2, "spelt": 4, "largest": "4010.0"}
