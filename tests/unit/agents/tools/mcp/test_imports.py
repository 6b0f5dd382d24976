"""Who has no MCP server does not pay for the client, which takes half a second to import."""

import subprocess
import sys


def test_the_client_is_imported_when_it_is_used() -> None:
    """Neither commands nor workers load it with the rest."""
    code = "import sys, workers.wiring, workers.worker; print({'mcp', 'jsonschema', 'starlette'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
