"""Gets what stands at an address: over redirects, each of them checked, within limits of size and time."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import httpcore2
import httpx2
from httpcore2 import ConnectionPool

from agents.errors import ToolError
from agents.tools.builtin.web.connecting import CheckedBackend, RefusedError, UnknownHostError
from agents.tools.builtin.web.reach import Reach
from orchestrator.ports.clock import Deadline

MOST_BYTES = 20_000_000
MOST_REDIRECTS = 5
_MOST_SECONDS = 15.0
"""Of silence while connecting or between two pieces."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504})
_OTHER = "Take another source, or answer with what is known."
_AGAIN = "Try once more, then take another source."
_HEADERS = {
    "User-Agent": "Remit/0.1 (research agent)",
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class Got:
    """What a server sent."""

    address: str
    """Where it was found at last."""
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    redirects: tuple[str, ...]
    """The addresses on the way, the first one asked for included."""

    @property
    def media_type(self) -> str:
        """`text/html`, in lower case; empty when the server named none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().casefold()

    @property
    def charset(self) -> str:
        """The encoding that the server named; empty when it named none."""
        for part in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().casefold() == "charset":
                return value.strip().strip("\"'")
        return ""


def get(address: str, reach: Reach, deadline: Deadline) -> Got:
    """Get an address. Raises ToolError for whatever comes in between, and for every answer but success."""
    url, way = _checked(address, None), list[str]()
    with ConnectionPool(ssl_context=httpx2.create_ssl_context(), network_backend=CheckedBackend(reach)) as pool:
        while len(way) <= MOST_REDIRECTS:
            got = _failing_plainly(str(url), lambda url=url: _once(pool, url, tuple(way), deadline))
            if got.status not in _REDIRECTS or "location" not in got.headers:
                return _succeeded(got)
            way.append(str(url))
            url = _checked(got.headers["location"], url)
    what = f"{way[0]} redirects more than {MOST_REDIRECTS} times, at last to {url}"
    raise ToolError("too_many_redirects", what, hint=_OTHER)


def _checked(address: str, base: httpx2.URL | None) -> httpx2.URL:
    """The address as a URL of the web, without credentials and without a fragment."""
    said = address.strip()[:300]
    try:
        url = httpx2.URL(address.strip()) if base is None else base.join(address)
        url = url.copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise ToolError(
            "invalid_address", f"`{said}` is no address", hint="Write it like https://host/path."
        ) from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ToolError("invalid_address", f"`{said}` is no http or https address", hint="Write https://host/path.")
    if url.userinfo or not 0 < (url.port or 80) < 65_536:
        what = f"`{said}` has a user, a password or an impossible port in it"
        raise ToolError("invalid_address", what, hint="Write it like https://host/path.")
    return url


def _once(pool: ConnectionPool, url: httpx2.URL, way: tuple[str, ...], deadline: Deadline) -> Got:
    patience = max(0.1, min(_MOST_SECONDS, deadline.left()))
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    with pool.stream(
        "GET",
        target,
        headers={**_HEADERS, "Host": url.netloc.decode("ascii")},
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), patience)},
    ) as response:
        headers = {name.decode("ascii", "replace").lower(): value.decode("latin-1") for name, value in response.headers}
        redirected = response.status in _REDIRECTS and "location" in headers
        body = b"" if redirected else _body(response.iter_stream(), headers, deadline, str(url))
        return Got(str(url), response.status, headers, body, (*way, str(url)))


def _body(pieces: Iterable[bytes], headers: Mapping[str, str], deadline: Deadline, address: str) -> bytes:
    announced = headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:18]) > MOST_BYTES:
        raise _too_large(address)
    body = bytearray()
    for piece in _decoded(pieces, headers.get("content-encoding", "").strip().casefold(), address):
        body += piece
        if len(body) > MOST_BYTES:
            raise _too_large(address)
        if deadline.passed():
            raise ToolError("timeout", f"{address} did not arrive in time", retryable=True, hint=_AGAIN)
    return bytes(body)


def _decoded(pieces: Iterable[bytes], encoding: str, address: str) -> Iterator[bytes]:
    """The pieces unpacked, never more at once than may be kept: a small answer can unpack to anything."""
    if encoding in ("", "identity"):
        yield from pieces
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ToolError("unsupported_type", f"{address} is packed as `{encoding[:40]}`", hint=_OTHER)
    unpacking = zlib.decompressobj(47 if "gzip" in encoding else 15)
    begun = False
    for packed in pieces:
        if packed and not begun and encoding == "deflate" and packed[0] & 0x0F != 8:
            unpacking = zlib.decompressobj(-15)  # some servers leave out the wrapping
        begun = begun or bool(packed)
        piece = packed
        while piece and not unpacking.eof:
            yield unpacking.decompress(piece, MOST_BYTES)
            piece = unpacking.unconsumed_tail
    if begun and not unpacking.eof:
        raise zlib.error("it ends too early")


def _failing_plainly(address: str, call: Callable[[], Got]) -> Got:
    """What goes wrong on the way, as an agent reads it."""
    try:
        return call()
    except RefusedError as error:
        hint = f"{_OTHER} Whoever runs Remit can allow it with REMIT_WEB_ALLOW."
        raise ToolError("address_refused", str(error), hint=hint) from error
    except UnknownHostError as error:
        raise ToolError("unknown_host", str(error), hint=f"Check the spelling. {_OTHER}") from error
    except httpcore2.TimeoutException as error:
        raise ToolError("timeout", f"{address} did not answer in time", retryable=True, hint=_AGAIN) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise ToolError("unreachable", f"{address} cannot be reached: {said}", retryable=True, hint=_AGAIN) from error
    except zlib.error as error:
        raise ToolError("unreachable", f"{address} arrived damaged", retryable=True, hint=_AGAIN) from error


def _succeeded(got: Got) -> Got:
    if 200 <= got.status < 300:
        return got
    retryable = got.status in _RETRYABLE
    wait = got.headers.get("retry-after", "").strip()
    hint = f"It asks to wait {wait[:40]} (seconds, or until then)." if wait else _AGAIN if retryable else _OTHER
    raise ToolError("http_error", f"{got.address} answered with status {got.status}", retryable=retryable, hint=hint)


def _too_large(address: str) -> ToolError:
    what = f"{address} is larger than {MOST_BYTES // 1_000_000} MB"
    return ToolError("too_large", what, hint=_OTHER)
