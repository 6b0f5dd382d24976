"""A team with the tools of an MCP server, from the command to the answer."""

import json
import sys
from pathlib import Path
from typing import Any

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent / "mcp_team"


def test_a_run_with_the_tools_of_a_server(remit: Any) -> None:
    """The worker starts the server, an effect happens once, figures of the answer stand in what the server returned,
    and nothing of the server is left when the command has ended."""
    with serve(FOLDER / "script.yaml") as model:
        env = {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "any",
            "REMIT_MODEL": "fake",
            "STOCK_PYTHON": sys.executable,
        }
        ended = remit("run", "Sell 5 chairs.", "--team", str(FOLDER / "team.toml"), "--json", **env)
    assert ended.code == 0, f"{ended.out}\n{ended.err}\n{remit.logs()}"
    assert ended.json["status"] == "done"
    assert "7 chairs are left [E" in ended.json["answer"]
    offered = [
        [one["function"]["name"] for one in json.loads(request.body).get("tools", [])] for request in model.requests
    ]
    assert ["stock__count", "stock__sell"] in offered
