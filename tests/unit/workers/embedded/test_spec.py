"""What a caller asks for: refused when it cannot work, unchanged on its way to the supervisor."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import DefectError
from workers.embedded.spec import Launch, Services, fill, fill_env
from workers.pool_worker import GRACE_SECONDS

WORKER = ("work", "{worker_id}", "{ready_fd}")
REAP = ("reap", "{worker_id}")


@pytest.mark.parametrize(
    ("worker", "reap", "reason"),
    [
        (("work",), REAP, "work: the command lacks {worker_id} and {ready_fd}"),
        (("work", "{worker_id}"), REAP, "work {worker_id}: the command lacks {ready_fd}"),
        (("work", "--id={worker_id}", "{ready_fd}"), REAP, "the command lacks {worker_id}"),
        (WORKER, ("reap",), "reap: the command lacks {worker_id}"),
    ],
)
def test_a_command_that_would_not_learn_its_id(worker: tuple[str, ...], reap: tuple[str, ...], reason: str) -> None:
    """It is a bug of ours, found at once."""
    with pytest.raises(DefectError) as caught:
        Services(Path("/h"), worker, reap, {})
    assert str(caught.value).endswith(reason)


def test_a_negative_number_of_workers() -> None:
    """Zero means only the broker; less means nothing."""
    with pytest.raises(DefectError, match="negative"):
        Services(Path("/h"), WORKER, REAP, {}, worker_count=-1)


def test_a_worker_may_end_by_itself_before_it_is_killed() -> None:
    """What it cannot finish it gives up in its own time; killed at the same moment it would have died over it."""
    assert Services(Path("/h"), WORKER, REAP, {}).grace > GRACE_SECONDS + 3


def test_only_whole_words_are_placeholders() -> None:
    """A path that happens to contain one is left alone."""
    values = {"{worker_id}": "7", "{ready_fd}": "3"}
    assert fill(["a", "{worker_id}", "x{worker_id}", "{ready_fd}", "{other}"], values) == [
        *("a", "7", "x{worker_id}", "3", "{other}")
    ]
    assert fill_env({"A": "{worker_id}", "B": "b {ready_fd}", "{worker_id}": "c"}, values) == {
        "A": "7",
        "B": "b {ready_fd}",
        "{worker_id}": "c",
    }


def test_watched_values() -> None:
    """A variable that is not set counts as empty."""
    spec = Services(Path("/h"), WORKER, REAP, {"A": "1", "C": "3"}, watched=("A", "B"))
    assert spec.watched_values() == {"A": "1", "B": ""}


TEXT = st.text(st.characters(exclude_characters="\0"), max_size=20)


@given(
    st.builds(
        Services,
        home=TEXT.map(Path),
        worker_argv=st.lists(TEXT, max_size=3).map(lambda words: (*words, *WORKER)),
        reap_argv=st.lists(TEXT, max_size=3).map(lambda words: (*words, *REAP)),
        env=st.dictionaries(TEXT, TEXT, max_size=5),
        worker_count=st.integers(0, 64),
        runtime_dir=st.none() | TEXT.map(Path),
        grace=st.floats(0, 100),
        watched=st.lists(TEXT, max_size=3).map(tuple),
    ),
    TEXT.map(Path),
)
def test_a_launch_arrives_as_it_was(spec: Services, folder: Path) -> None:
    """As one line, whatever bytes are in paths and values."""
    launch = Launch(spec, server=folder / "server", sockets=folder)
    line = launch.to_json()
    assert "\n" not in line
    assert Launch.from_json(line.encode()) == launch


def test_a_home_is_anchored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A relative home is meant from the folder of the command."""
    monkeypatch.chdir(tmp_path)
    assert Services(Path("a"), WORKER, REAP, {}).anchored().home == tmp_path / "a"


def test_paths_in_the_environment_are_anchored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The services work in the home: `PYTHONPATH=.` means the folder of the command there too. All else stays."""
    monkeypatch.chdir(tmp_path)
    env = {
        "PYTHONPATH": ".:/lib:teams:",
        "REMIT_BLOBS": "kept",
        "REMIT_RATES": "~/rates.toml",
        "OPENAI_BASE_URL": "x/y",
    }
    assert Services(Path("a"), WORKER, REAP, env).anchored().env == {
        "PYTHONPATH": f"{tmp_path}:/lib:{tmp_path}/teams:{tmp_path}",
        "REMIT_BLOBS": f"{tmp_path}/kept",
        "REMIT_RATES": "~/rates.toml",
        "OPENAI_BASE_URL": "x/y",
    }
    assert Services(Path("a"), WORKER, REAP, {"PYTHONPATH": ""}).anchored().env == {"PYTHONPATH": ""}
