"""What a run shows its tools: inputs, observations, files that tools made, and what is set for tools."""

from pathlib import Path

import pytest

from agents.errors import ToolError
from orchestrator.adapters.blobs.folder import FolderBlobs
from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Fence, OpenRun, SaveStep
from orchestrator.domain.goal import Goal, InputFile
from orchestrator.domain.observation import Artifact, Observation
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec
from orchestrator.engine.services.checking import Checker
from workers.evidence import RunEvidence

REPORT = "# 报告\n".encode()


@pytest.fixture
def evidence(store: SqlStore, clock: ShiftedClock, tmp_path: Path) -> RunEvidence:
    """A run with one input, and one observation that came with a file."""
    blobs = FolderBlobs(tmp_path / "blobs")
    file = InputFile(name="left", filename="Ledger.csv", blob=blobs.put(b"a,b\n1,2\n"), size=8)
    run = Run(
        id="r1",
        tenant="t",
        goal=Goal(text="Look.", inputs=(file,)),
        rules=TeamRules(team="demo", specialists=("worker",)),
        team_blob="sha256:0",
        trace="00-1-2-01",
        created_at=clock.now(),
    )
    spec = SubtaskSpec(kind="specialist", agent="worker", title="a", instruction="Do a.")
    made = Artifact(name="report.md", blob=blobs.put(REPORT), size=len(REPORT))
    observation = Observation(
        ref="E1.1", tool="look", ok=True, summary="s", content='{"data":{"rows":[1]}}', size=20, artifacts=(made,)
    )
    store.apply([OpenRun(run)])
    store.register("w1", 3600)
    store.apply([AddSubtasks("r1", (NewSubtask(id="r1/a", run_id="r1", key="a", version=1, spec=spec),), ())])
    claimed = store.claim("r1/a", "w1")
    assert claimed is not None
    store.apply([SaveStep("r1/a", Step(n=1), (observation,))], Fence("r1/a", "w1", claimed.epoch, 1))
    return RunEvidence(run, store, blobs, Checker(store, blobs), {"arxiv_url": "http://127.0.0.1/"})


def test_inputs_and_observations(evidence: RunEvidence) -> None:
    """By the names the goal gave, and by number."""
    assert evidence.input("left").read_bytes() == b"a,b\n1,2\n"
    assert evidence.input_names() == {"left": "Ledger.csv"}
    assert evidence.observed("E1.1") == {"rows": [1]}


def test_files_that_tools_made(evidence: RunEvidence) -> None:
    """By number and name, with their sizes."""
    assert evidence.files() == {"E1.1/report.md": len(REPORT)}
    assert evidence.file("E1.1/report.md").read_bytes() == REPORT


def test_settings(evidence: RunEvidence) -> None:
    """What is not set is none."""
    assert evidence.setting("arxiv_url") == "http://127.0.0.1/"
    assert evidence.setting("web_allow") is None


@pytest.mark.parametrize(
    ("ask", "name", "code", "hint"),
    [
        ("input", "right", "unknown_input", "It has: left."),
        ("observed", "E9.9", "unknown_evidence", "There are: E1.1."),
        ("file", "E1.1/report.txt", "unknown_file", "There are: E1.1/report.md."),
        ("file", "../../etc/passwd", "unknown_file", "There are: E1.1/report.md."),
    ],
)
def test_what_does_not_exist(evidence: RunEvidence, ask: str, name: str, code: str, hint: str) -> None:
    """Says what there is."""
    with pytest.raises(ToolError) as caught:
        getattr(evidence, ask)(name)
    assert (caught.value.code, caught.value.mend) == (code, hint)
