"""`remit doctor --before-deploy` names the runs that wait and that the new version would break, and why."""

import json
import shutil
from pathlib import Path
from typing import Any

TOIL = Path(__file__).parent / "crash" / "toil"


def test_a_run_that_waits_while_its_team_changes(remit: Any, tmp_path: Path) -> None:
    """As it was it goes on; a tool, an argument or a playbook that is gone is a line; cancelled, all is well."""
    shutil.copytree(TOIL, tmp_path / "old")
    shutil.copytree(TOIL, tmp_path / "new")
    old, new = ({"PYTHONPATH": str(tmp_path / name)} for name in ("old", "new"))
    given = ["--param", "things=1", "--param", "ask=yes", "--param", f"log={tmp_path / 'log'}"]
    team = str(tmp_path / "old" / "team.toml")
    waits = remit("run", "Measure.", "--team", team, *given, "--json", "--no-ask", **old)
    assert waits.code == 3, f"{waits.err}{remit.logs()}"
    run = waits.json["run"]
    fine = remit("doctor", "--before-deploy", **old)
    assert (fine.code, "1 go on or wait, this version breaks none" in fine.out) == (0, True), fine.out
    module = tmp_path / "new" / "toil.py"
    text = module.read_text("utf-8")
    for before, after in (
        ("def add(", "def add_all("),
        ("def measure(thing: int,", "def measure(thing: int, unit: str,"),
        ("def compose(", "def composed("),
    ):
        assert text.count(before) == 1
        text = text.replace(before, after)
    module.write_text(text, "utf-8")
    broken = remit("doctor", "--before-deploy", **new)
    assert broken.code == 1
    assert "Traceback" not in broken.out + broken.err
    said = [line.partition(f"{run} (toil): ")[2] for line in broken.out.splitlines() if run in line]
    assert len(said) == 3, broken.out
    assert said[0].startswith("tool `toil:add` is gone: ")
    assert said[1] == "tool `toil:measure` takes other arguments now: `unit` is needed now"
    assert said[2].startswith("playbook `toil:compose` is gone: ")
    assert "1 of 1 that go on or wait" in broken.out
    assert remit.processes() == []
    assert remit("runs", "cancel", run).code == 0
    assert remit("doctor", "--before-deploy", **new).code == 0


def test_the_schema_and_what_stands_in_it(remit: Any, tmp_path: Path) -> None:
    """An older schema is not migrated by looking; a newer one, and records that cannot be read, would break runs."""
    env = {"PYTHONPATH": str(TOIL)}
    given = ["--param", "things=1", "--param", "ask=yes", "--param", f"log={tmp_path / 'log'}"]
    waits = remit("run", "Measure.", "--team", str(TOIL / "team.toml"), *given, "--json", "--no-ask", **env)
    assert waits.code == 3, f"{waits.err}{remit.logs()}"

    def change(statement: str, **values: str) -> None:
        assert remit.sql(f"{statement} RETURNING 1", **values)

    change("UPDATE alembic_version SET version_num = '0001'")
    older = remit("doctor", "--before-deploy", **env)
    assert (older.code, "schema 0001 becomes " in older.out) == (0, True), older.out
    change("UPDATE alembic_version SET version_num = '9999' WHERE version_num = '0001'")
    newer = remit("doctor", "--before-deploy", **env)
    assert (newer.code, "schema 9999 is of a newer Remit" in newer.out) == (1, True)
    change("UPDATE alembic_version SET version_num = '0001'")
    ((spec,),) = remit.sql("SELECT spec FROM subtasks WHERE key = 'ask'")
    change("UPDATE subtasks SET spec = :spec WHERE key = 'ask'", spec=json.dumps({**json.loads(spec), "unheard_of": 1}))
    unreadable = remit("doctor", "--before-deploy", **env)
    assert unreadable.code == 1
    assert "of `ask`: the stored subtaskspec cannot be read" in unreadable.out
    for blob in remit.blobs.glob("??/*"):
        blob.unlink()
    assert "its team cannot be read: " in remit("doctor", "--before-deploy", **env).out


def test_a_team_is_not_looked_at_before_a_deploy(remit: Any) -> None:
    """An option that would be passed over in silence is refused in one line, and nothing is begun."""
    ended = remit("doctor", "--before-deploy", "--team", "weather")
    assert ended.code == 2
    assert ended.err.startswith("remit: --team: it does not go with --before-deploy. Leave one of them out")
    assert (ended.err.count("\n"), ended.out) == (1, "")
