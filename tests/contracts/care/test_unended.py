"""Contract of care: runs that have not ended are read as a new version would, in any schema."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from orchestrator.adapters.sql.care.sql_care import SqlCare
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.ports.care import Unended

OpenRun = Callable[..., None]
TABLES = {
    "subtasks": ("spec", "id = 'r1/a'", "of `a`: the stored subtaskspec cannot be read"),
    "steps": ("document", "subtask_id = 'r1/a'", "of `a`: the stored step cannot be read"),
    "effects": ("document", "subtask_id = 'r1/a'", "of `a`: the stored effectintent cannot be read"),
    "observations": ("document", "subtask_id = 'r1/a'", "of `a`: the stored observation cannot be read"),
    "tickets": ("document", "subtask_id = 'r1/a'", "of `a`: the stored ticket cannot be read"),
    "runs": ("goal", "id = 'r1'", "its goal: the stored goal cannot be read"),
}


def test_runs_that_go_on(care: SqlCare, open_run: OpenRun, end_run: Callable[[str], None], store: SqlStore) -> None:
    """Each with its team; those that have ended are nobody's worry."""
    for run_id in ("r1", "r2", "r3"):
        open_run(run_id, team=b"the team")
    end_run("r2")
    address = store.run_of("r1/a").team_blob
    assert list(care.unended()) == [Unended(run_id, "demo", address, ()) for run_id in ("r1", "r3")]


@pytest.mark.parametrize("table", TABLES)
def test_a_record_that_cannot_be_read(care: SqlCare, engine: Engine, open_run: OpenRun, table: str) -> None:
    """One line says which kind of record of which subtask; other runs are not affected."""
    open_run("r1")
    open_run("r2")
    column, which, said = TABLES[table]
    with engine.begin() as connection:
        connection.execute(text(f"""UPDATE {table} SET {column} = '{{"unheard": "of"}}' WHERE {which}"""))
    first, second = care.unended()
    assert [fault.partition(" (")[0] for fault in first.faults] == [said]
    assert "\n" not in first.faults[0]
    assert second.faults == ()
