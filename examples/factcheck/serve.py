"""Serves the recorded pages on this machine as arXiv would: a search that answers in Atom, and a page for each paper.

`python examples/factcheck/serve.py --port 8750`, then REMIT_ARXIV_URL=http://127.0.0.1:8750/api/query and
REMIT_WEB_ALLOW=127.0.0.1.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

PAGES = Path(__file__).parent / "pages.jsonl"
Paper = Mapping[str, Any]


def papers(path: Path = PAGES) -> dict[str, Paper]:
    """The recorded papers by id."""
    return {one["id"]: one for one in map(json.loads, path.read_text("utf-8").splitlines())}


def found(known: Mapping[str, Paper], query: str, ids: Sequence[str]) -> list[Paper]:
    """The papers that have all words of an arXiv query, or these ids; who has them more often comes first."""
    if ids:
        return [known[one] for one in ids if one in known]
    words = [word.strip('"').casefold() for word in re.findall(r'\w+:("[^"]+"|[^\s()]+)', query)]
    texts = {one["id"]: f"{one['title']} {one['abstract']}".casefold() for one in known.values()}
    fitting = [id_ for id_, text in texts.items() if words and all(word in text for word in words)]
    fitting.sort(key=lambda id_: -sum(texts[id_].count(word) for word in words))
    return [known[id_] for id_ in fitting]


def feed(host: str, chosen: Sequence[Paper], start: int, most: int) -> str:
    """The answer to a search."""
    entries = "".join(_entry(host, one) for one in chosen[start : start + most])
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{len(chosen)}</opensearch:totalResults>{entries}</feed>"
    )


def _entry(host: str, paper: Paper) -> str:
    names = "".join(f"<author><name>{escape(name)}</name></author>" for name in paper["authors"])
    day = f"{paper['published']}T00:00:00Z"
    return (
        f"<entry><id>http://{host}/abs/{paper['id']}v1</id><title>{escape(paper['title'])}</title>"
        f"<summary>{escape(paper['abstract'])}</summary><published>{day}</published><updated>{day}</updated>{names}"
        f'<category term="cs.LG"/><link rel="alternate" type="text/html" href="http://{host}/abs/{paper["id"]}v1"/>'
        f'<link title="pdf" rel="related" type="text/html" href="http://{host}/full/{paper["id"]}v1"/></entry>'
    )


class Pages(BaseHTTPRequestHandler):
    """Answers searches, and gives out pages."""

    known: Mapping[str, Paper] = {}

    def do_GET(self) -> None:
        """Answer one request."""
        asked = urlsplit(self.path)
        host = self.headers.get("Host", "127.0.0.1")
        if asked.path == "/api/query":
            given = {name: values[0] for name, values in parse_qs(asked.query).items()}
            ids = [one for one in given.get("id_list", "").split(",") if one]
            chosen = found(self.known, given.get("search_query", ""), ids)
            self._send(
                "application/atom+xml",
                feed(host, chosen, _number(given, "start", 0), _number(given, "max_results", 10)),
            )
            return
        page = re.fullmatch(r"/(?:abs|full)/(\d{4}\.\d{4,5})(?:v\d+)?", asked.path)
        paper = self.known.get(page[1]) if page else None
        self._send("text/html", paper["page"] if paper else "there is no such page", 200 if paper else 404)

    def _send(self, kind: str, text: str, status: int = 200) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # named so by the base
        """Say nothing: the caller sees what was asked."""
        del format, args


def _number(given: Mapping[str, str], name: str, default: int) -> int:
    said = given.get(name, "")
    return int(said) if said.isdigit() else default


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="Serves the recorded pages on this machine.")
    parser.add_argument("--port", type=int, default=8750, help="0 takes a free one and prints it")
    port = parser.parse_args().port
    try:
        Pages.known = papers()
        server = ThreadingHTTPServer(("127.0.0.1", port), Pages)
    except (OSError, OverflowError) as error:
        sys.exit(f"serve.py: the pages cannot be served on port {port} ({error}); name another --port.")
    with server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
