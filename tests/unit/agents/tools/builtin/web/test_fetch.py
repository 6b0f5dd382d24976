"""Fetching pages: their text, within limits of address, size, time and type; errors that say what to do."""

import gzip
import socket
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.observing import succeeded
from agents.tools.builtin.web.fetch import fetch
from agents.tools.builtin.web.getting import MOST_BYTES
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext
from agents.trimming import parse_shown
from orchestrator.domain.step import StepCall
from orchestrator.ports.clock import Deadline

Site = Any
"""What the fixture `site` gives: a server with pages by path."""
HTML = "<html><head><title>Zahlen</title></head><body><h1>Umsatz</h1><p>Plus 4,5 % in 上海.</p></body></html>"


def fetched(context: LocalContext, url: str, **arguments: Any) -> ToolResult:
    """The page at an address."""
    result = fetch.run(fetch.arguments(url=url, **arguments), context)
    assert isinstance(result, ToolResult)
    return result


def bare_deflate(data: bytes) -> bytes:
    """Without the wrapping, as some servers send it."""
    return zlib.compress(data)[2:-4]


def refused(context: LocalContext, url: str) -> ToolError:
    """The error of a page that cannot be had."""
    with pytest.raises(ToolError) as caught:
        fetched(context, url)
    return caught.value


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What host names lead to, one answer after the other; numbers lead to themselves."""
    known: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host in known:
            answers = known[host]
            return real(answers.pop(0) if len(answers) > 1 else answers[0], port, *args, **options)
        return real(host, port, *args, flags=socket.AI_NUMERICHOST, **options)

    monkeypatch.setattr("socket.getaddrinfo", resolve)
    return known


def test_returns_a_page_as_text(site: Site, loopback: LocalContext) -> None:
    """With its title, where it was found and when."""
    url = site.page("/a", HTML)
    result = fetched(loopback, url)
    found = datetime.fromisoformat(result.data.pop("fetched_at"))
    assert datetime.now(UTC) - found < timedelta(seconds=60)
    assert result.data == {
        "url": url,
        "asked_for": url,
        "redirects": [],
        "title": "Zahlen",
        "type": "html",
        "characters": 27,
        "notes": [],
        "text": "# Umsatz\n\nPlus 4,5 % in 上海.",
    }


def test_follows_redirects_and_makes_links_absolute(site: Site, loopback: LocalContext) -> None:
    """Relative ones too; the way is told."""
    site.page("/b/c", '<p><a href="../d?x=1">mehr</a></p>')
    site.redirect("/b/start", "c", 308)
    url = site.redirect("/start", "/b/start", 301)
    data = fetched(loopback, url).data
    assert data["redirects"] == [site.url("/b/start"), site.url("/b/c")]
    assert data["url"] == site.url("/b/c")
    assert f"[mehr]({site.url('/d?x=1')})" in data["text"]


def test_reads_pdf_text_and_data(site: Site, loopback: LocalContext, pdf_of: Callable[..., bytes]) -> None:
    """By their bytes, whatever the server calls them."""
    pdf = site.page("/r", pdf_of(["Revenue 1,234.50"], ["Page two"]), "application/octet-stream")
    assert fetched(loopback, pdf).data["text"] == "Revenue 1,234.50\n\nPage two"
    assert fetched(loopback, site.page("/d.csv", "a,b\n1,2\n", "text/csv")).data["text"] == "a,b\n1,2"
    assert fetched(loopback, site.page("/j", '{"a": 1.50}', "application/json")).data["text"] == '{"a": 1.50}'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=GB2312", "<p>收入一千万元</p>".encode("gb18030")),
        ("text/html", '<meta charset="gbk"><p>收入一千万元</p>'.encode("gb18030")),
        ('text/plain;charset="utf-16le"', "收入一千万元".encode("utf-16-le")),
        ("text/html; charset=nonsense", "<p>收入一千万元</p>".encode()),
    ],
)
def test_reads_any_encoding(site: Site, loopback: LocalContext, kind: str, body: bytes) -> None:
    """The server's word, then the page's."""
    assert fetched(loopback, site.page("/x", body, kind)).data["text"] == "收入一千万元"


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", bare_deflate),
        ("identity", bytes),
    ],
)
def test_unpacks(site: Site, loopback: LocalContext, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    """Both packings, one of them in both of its forms."""
    url = site.page("/z", pack(HTML.encode() * 50), Content_Encoding=encoding)
    assert "Umsatz" in fetched(loopback, url).data["text"]


@pytest.mark.parametrize("headers", [{"Content_Encoding": "br"}, {"Content_Encoding": "gzip"}])
def test_what_cannot_be_unpacked(site: Site, loopback: LocalContext, headers: dict[str, str]) -> None:
    """An unknown packing, and a damaged one."""
    assert refused(loopback, site.page("/z", b"nonsense", **headers)).code in {"unsupported_type", "unreachable"}


def test_a_small_answer_that_unpacks_without_end_is_stopped(site: Site, loopback: LocalContext) -> None:
    """Without unpacking it whole."""
    bomb = gzip.compress(b"<p>" + b"0" * (2 * MOST_BYTES), 9)
    assert len(bomb) < 300_000
    assert refused(loopback, site.page("/bomb", bomb, Content_Encoding="gzip")).code == "too_large"


def test_a_large_answer_is_not_read(site: Site, loopback: LocalContext) -> None:
    """When it says how large it is; and when it does not."""

    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        request.end_headers()
        try:
            for _ in range(MOST_BYTES // 500_000 + 2):
                request.wfile.write(b"x" * 500_000)
        except OSError:
            return

    site.pages["/endless"] = endless
    assert refused(loopback, site.url("/endless")).code == "too_large"
    url = site.page("/large", b"x", Content_Length=str(MOST_BYTES + 1))
    assert refused(loopback, url).code == "too_large"


def test_a_slow_server_does_not_hold_the_agent(site: Site) -> None:
    """It is given up at the deadline: when nothing comes, and when it drips."""
    release = threading.Event()

    def dripping(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        request.end_headers()
        try:
            while not release.wait(0.05):
                request.wfile.write(b"x")
        except OSError:
            return

    def silent(request: BaseHTTPRequestHandler) -> None:
        del request
        release.wait(10)

    site.pages["/drip"] = dripping
    site.pages["/silent"] = silent
    try:
        for path in ("/drip", "/silent"):
            context = LocalContext(settings={"web_allow": "127.0.0.1"}, deadline=Deadline.after(0.4))
            error = refused(context, site.url(path))
            assert (error.code, error.retryable) == ("timeout", True)
    finally:
        release.set()


@pytest.mark.parametrize(
    ("status", "retryable"), [("404", False), ("403", False), ("410", False), ("429", True), ("503", True)]
)
def test_says_what_the_server_answered(site: Site, loopback: LocalContext, status: str, retryable: bool) -> None:
    """And whether it may be tried again, when the server says so."""
    error = refused(loopback, site.page("/e", "no", status=status, Retry_After="7"))
    assert (error.code, error.retryable) == ("http_error", retryable)
    assert error.what.endswith(f"answered with status {status}")
    assert "wait 7" in str(error.mend)


def test_a_broken_answer_is_worth_a_retry(loopback: LocalContext) -> None:
    """Nonsense instead of HTTP, an answer that ends too early, nobody there."""
    answers = [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", b""]
    with closing(socket.create_server(("127.0.0.1", 0))) as server, ThreadPoolExecutor(1) as pool:
        port = server.getsockname()[1]

        def serve() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        served = pool.submit(serve)
        for _ in answers:
            error = refused(loopback, f"http://127.0.0.1:{port}/")
            assert (error.code, error.retryable) == ("unreachable", True)
        served.result(10)
    assert refused(loopback, f"http://127.0.0.1:{port}/").code == "unreachable"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/a",
        "http://localhost:{port}/a",
        "http://127.1:{port}/a",
        "http://2130706433:{port}/a",
        "http://0x7f000001:{port}/a",
        "http://0:{port}/a",
        "http://[::1]:{port}/a",
        "http://[::ffff:127.0.0.1]:{port}/a",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
def test_local_addresses_are_refused_however_they_are_written(site: Site, url: str) -> None:
    """Nothing is asked of the server behind them."""
    site.page("/a", HTML)
    error = refused(LocalContext(), url.format(port=site.port))
    assert error.code == "address_refused"
    assert "no public address" in error.what
    assert site.asked == []


def test_a_name_that_leads_to_a_private_address_is_refused(site: Site, names: dict[str, list[str]]) -> None:
    """Whatever the name looks like."""
    site.page("/a", HTML)
    names["public.example"] = ["127.0.0.1"]
    error = refused(LocalContext(), site.url("/a", "public.example"))
    assert (error.code, error.what) == (
        "address_refused",
        "`public.example` leads to 127.0.0.1, which is no public address",
    )
    assert site.asked == []


def test_a_redirect_to_a_private_address_is_refused(site: Site, names: dict[str, list[str]]) -> None:
    """The first address was allowed; the second is checked like any other."""
    site.page("/secret", HTML)
    names["allowed.example"] = ["127.0.0.1"]
    site.redirect("/start", site.url("/secret"))
    context = LocalContext(settings={"web_allow": "allowed.example"})
    assert refused(context, site.url("/start", "allowed.example")).code == "address_refused"
    assert [path for path, _ in site.asked] == ["/start"]


def test_a_name_cannot_lead_elsewhere_after_the_check(site: Site, names: dict[str, list[str]]) -> None:
    """It is resolved once; the connection goes to the address that was checked, under the name that was asked for."""
    site.page("/a", HTML)
    names["rebound.example"] = ["127.0.0.1", "10.255.255.1"]
    context = LocalContext(settings={"web_allow": "127.0.0.0/8"})
    assert fetched(context, site.url("/a", "rebound.example")).data["title"] == "Zahlen"
    assert site.asked[0][1]["Host"] == f"rebound.example:{site.port}"
    assert refused(context, site.url("/a", "rebound.example")).code == "address_refused"


def test_a_name_that_leads_nowhere(names: dict[str, list[str]]) -> None:
    """Check the spelling."""
    del names
    error = refused(LocalContext(), "https://nowhere.example/")
    assert (error.code, error.what) == ("unknown_host", "there is no host `nowhere.example`")


def test_an_operator_may_narrow_the_web(site: Site) -> None:
    """To some hosts."""
    url = site.page("/a", HTML)
    context = LocalContext(settings={"web_allow": "127.0.0.0/8", "web_only": "*.wikipedia.org"})
    error = refused(context, url)
    assert (error.code, error.what) == ("address_refused", "`127.0.0.1` is none of the hosts that may be reached")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "example.org",
        "//example.org",
        "http://",
        "http://user:password@example.org/",
        "http://example.org:99999/",
        "http://exa\nmple.org/",
        "data:text/html,x",
    ],
)
def test_only_addresses_of_the_web(url: str) -> None:
    """http and https, with a host, without credentials."""
    error = refused(LocalContext(), url)
    assert error.code == "invalid_address"
    assert "https://host/path" in str(error.mend)


@pytest.mark.parametrize("target", ["ftp://example.org/", "file:///etc/passwd", "http://user:pw@example.org/"])
def test_a_redirect_out_of_the_web_is_refused(site: Site, loopback: LocalContext, target: str) -> None:
    """As if it had been asked for."""
    assert refused(loopback, site.redirect("/r", target)).code == "invalid_address"


def test_redirects_without_end(site: Site, loopback: LocalContext) -> None:
    """Are given up."""
    error = refused(loopback, site.redirect("/loop", "/loop"))
    assert error.code == "too_many_redirects"
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    ("kind", "body"), [("image/png", b"\x89PNG"), ("video/mp4", b"0000"), ("application/zip", b"PK\x03\x04x")]
)
def test_only_what_holds_text(site: Site, loopback: LocalContext, kind: str, body: bytes) -> None:
    """By what the server says, or by its bytes."""
    assert refused(loopback, site.page("/x", body, kind)).code == "unsupported_type"


@pytest.mark.parametrize("body", ["", "<html><body><div id=root></div><script>render()</script></body></html>"])
def test_a_page_without_text_says_so(site: Site, loopback: LocalContext, body: str) -> None:
    """It may be made by scripts."""
    result = fetched(loopback, site.page("/app", body))
    assert result.empty
    assert "made by scripts" in result.summary


def test_a_long_page_is_shown_in_part_and_kept_whole(site: Site, loopback: LocalContext) -> None:
    """From its start, or the passages that were looked for."""
    body = "".join(f"<p>Paragraph {number} about nothing much at all.</p>" for number in range(5_000))
    url = site.page("/long", body.replace("Paragraph 4321 about", "Paragraph 4321: the tariff rose to 7.25 % about"))
    result = fetched(loopback, url)
    shown = parse_shown(succeeded(StepCall(id="c1.0", tool="web.fetch"), "E1.1", result).shown)
    assert shown["data"]["text"].startswith("Paragraph 0 about")
    assert "evidence.read" in shown["more"]
    assert len(result.data["text"]) > 200_000
    sought = fetched(loopback, url, looking_for="tariff rose")
    assert "the tariff rose to 7.25 %" in sought.shown["passages"][0]
    missing = fetched(loopback, url, looking_for="zebra")
    assert "none of these words" in missing.shown["looking_for"]


def test_the_server_learns_little(site: Site, loopback: LocalContext) -> None:
    """Who asks, in general; no cookies, no referrer, nothing of the environment."""
    fetched(loopback, site.page("/a", HTML))
    assert set(site.asked[0][1]) == {"User-Agent", "Accept", "Accept-Encoding", "Connection", "Host"}


def test_runs_in_a_child_process(site: Site, loopback: LocalContext) -> None:
    """As for an agent; its settings come to it through the worker."""
    isolation = Isolation()
    try:
        url = site.page("/a", HTML)
        result = isolation.run(fetch, fetch.arguments(url=url), loopback, Deadline.after(60))
    finally:
        isolation.close()
    assert isinstance(result, ToolResult)
    assert result.data["title"] == "Zahlen"
