"""The tools that ship, in a run: tables, code, files, documents and the web, one building on what the other left."""

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent / "builtin_tools"
SALES = "Monat;Region;Betrag\n01.01.2026;Nord;1.200,50\n01.02.2026;Süd;800,25\n"
POLICY = "# Policy\n\nThe fee (违约金) is 4.5 % of the order.\n"
FEED = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/abs/2401.00001v1</id><title>On Fees</title><summary>Fees.</summary></entry></feed>"""


@pytest.fixture
def web() -> Generator[str]:
    """A web server on this machine, with a page and a feed; its address."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = self.path.startswith("/fees")
            body = b"<title>Fees</title><p>The fee is 4.5 %.</p>" if page else FEED.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if page else "application/atom+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name there
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_tools_build_on_each_other(remit: Any, tmp_path: Path, web: str) -> None:
    """Rows from SQL go into a chart and a file; files are read back; a document, a page and a feed are found."""
    (tmp_path / "sales.csv").write_text(SALES, "utf-8")
    (tmp_path / "policy.md").write_text(POLICY, "utf-8")
    script = tmp_path / "script.yaml"
    script.write_text((FOLDER / "script.yaml").read_text("utf-8").replace("{{ web }}", web), "utf-8")
    with serve(script) as model:
        env = {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "any",
            "REMIT_MODEL": "fake",
            "REMIT_WEB_ALLOW": "127.0.0.1",
            "REMIT_ARXIV_URL": f"{web}/api/query",
        }
        inputs = [f"--input=sales={tmp_path / 'sales.csv'}", f"--input=policy={tmp_path / 'policy.md'}"]
        out = tmp_path / "out"
        ended = remit(
            "run",
            "What are the sales?",
            "--team",
            str(FOLDER / "team.toml"),
            *inputs,
            "--json",
            "--out",
            str(out),
            **env,
        )
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        result = ended.json
        assert result["status"] == "done"
        assert "Sales are 2,000.75 in all" in result["answer"]
        observed = observations(remit, result["run"])
    assert [one["tool"] for one in observed.values() if not one["ok"]] == ["web.fetch"]
    assert observed["E2.2"]["data"] == {"result": "2000.75", "printed": "", "files": ["chart-1.svg", "clean.csv"]}
    assert [one["name"] for one in observed["E2.4"]["data"]["made"]] == [
        "E2.2/chart-1.svg",
        "E2.2/clean.csv",
        "E2.3/totals.csv",
    ]
    assert observed["E2.5"]["data"]["text"] == "Region,total\r\nNord,1200.50\r\nSüd,800.25\r\n"
    assert observed["E2.6"]["data"]["text"].startswith("_row,Monat,Region,Betrag\r\n1,2026-01-01,Nord,1200.50\r\n")
    assert observed["E3.1"]["data"]["passages"][0]["id"] == "policy#1"
    assert observed["E3.2"]["error"]["code"] == "address_refused"
    assert observed["E3.4"]["data"]["text"] == "The fee is 4.5 %."
    assert observed["E3.5"]["data"]["papers"][0]["id"] == "2401.00001"
    assert {"chart-1.svg", "totals.csv"} <= {path.name for path in out.iterdir()}


def observations(remit: Any, run: str) -> dict[str, dict[str, Any]]:
    """What the tools of a run returned, by number."""
    with remit.store() as store:
        found = store.observations(run)
    return {
        ref: {"tool": one.tool, "ok": one.ok, **json.loads(one.content)}
        for ref, one in found.items()
        if one.content is not None
    }
