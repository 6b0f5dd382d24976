"""Environment variables in declarations."""

import pytest

from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.variables import filled, unset
from orchestrator.errors import TeamError


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain", "plain"),
        ("Bearer ${TOKEN}", "Bearer t0k"),
        ("${TOKEN}${TOKEN}", "t0kt0k"),
        ("$TOKEN", "$TOKEN"),
        ("${}", "${}"),
        ("${1}", "${1}"),
        ("${TRICK}", "${TOKEN}"),
        ("${EMPTY}", ""),
    ],
)
def test_each_name_is_replaced_once(text: str, result: str) -> None:
    """What a variable holds is not read again."""
    assert filled(text, {"TOKEN": "t0k", "TRICK": "${TOKEN}", "EMPTY": ""}) == result


def test_a_variable_that_is_not_set() -> None:
    """It is named, with where it has to be set."""
    with pytest.raises(
        TeamError, match=r"the variable `TOKEN` is not set\. Set TOKEN where `remit` and its workers run"
    ):
        filled("${TOKEN}", {"token": "x"})


def test_every_key_is_looked_at() -> None:
    """Command, address, variables and headers."""
    program = McpServer(name="a", folder="", command=("${A}", "${SET}", "${B}"), env={"X": "${C}", "Y": "y"})
    site = McpServer(name="a", folder="", url="${D}", headers={"X": "${E}"})
    errors = [*unset(program, {"SET": ""}), *unset(site, {})]
    assert [error.where for error in errors] == ["command.0", "command.2", "env.X", "url", "headers.X"]
