"""How an end is told."""

import pytest

from workers.embedded.children import how_it_ended


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "exit code 0"), (3, "exit code 3"), (-9, "killed by SIGKILL"), (-63, "killed by signal 63")],
)
def test_exit_codes_in_words(code: int, words: str) -> None:
    """A negative code is a signal; one without a name keeps its number."""
    assert how_it_ended(code) == words
