"""Puts environment variables in the place of `${NAME}` in a server's declaration."""

import re
from collections.abc import Iterator, Mapping

from agents.tools.mcp.declared import McpServer
from orchestrator.errors import TeamError

_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def filled(text: str, variables: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced. Raises TeamError for a variable that is not set."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in variables:
            what = f"the variable `{match[1]}` is not set"
            raise TeamError(what, mend=f"Set {match[1]} where `remit` and its workers run, and start them again.")
        return variables[match[1]]

    return _NAME.sub(value, text)


def unset(server: McpServer, variables: Mapping[str, str]) -> Iterator[TeamError]:
    """An error for each key whose variables are not all set."""
    for key, text in server.texts().items():
        try:
            filled(text, variables)
        except TeamError as error:
            yield TeamError(error.what, where=key, mend=error.mend)
