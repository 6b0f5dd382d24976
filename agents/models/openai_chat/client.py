"""Sends ready bytes through the `openai` client; importing this module costs most of a second, so it is done late."""

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAI, Stream

from agents.models.openai_chat.answers import Answer, Lost
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.quotas import quotas
from agents.models.openai_chat.stopping import UNWANTED, stopped_by
from agents.models.openai_chat.transport import http_client
from orchestrator.ports.clock import Deadline, Stopped

CONNECT_SECONDS = 5.0
MOST_BYTES = 32 * 1024 * 1024
"""A longer reply is cut: no model writes that much, a server gone wild does."""
SECRET = 8
"""A shorter key is a word like `none` or `any`, and may stand in any text."""
NO_KEY = "none"
"""Sent where the endpoint has no key: the client insists on one."""


class OpenAIClient:
    """One `openai` client for all threads; its own retries are off, since each try is counted outside."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._key = endpoint.key.encode()
        self._client = OpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.address,
            default_query=endpoint.query,
            default_headers=endpoint.headers,
            max_retries=0,
            http_client=http_client(endpoint.address),
        )

    def post(self, body: bytes, seconds: float, stopped: Stopped = None) -> Answer | Lost:
        """Ask for a chat completion. `body` goes out as it is: the client's transform costs 85 ms at 200 messages."""
        with stopped_by(stopped):
            return self._asked("post", "/chat/completions", body, Deadline.after(seconds, stopped))

    def models(self, seconds: float) -> Answer | Lost:
        """Ask which models there are."""
        return self._asked("get", "/models", None, Deadline.after(seconds))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _asked(self, method: str, path: str, body: bytes | None, deadline: Deadline) -> Answer | Lost:
        seconds = deadline.left()
        if not seconds:
            return Lost("no time was left", sent=False)
        try:
            response = self._send(method, path, body, seconds)
        except APIStatusError as error:
            return _answer(error.response, self._without_key(error.response.content))
        except APITimeoutError as error:
            return Lost(f"no answer within {seconds:.3g} s", sent=_sent(error.__cause__))
        except APIConnectionError as error:
            return Lost(_reason(error.__cause__ or error), sent=_sent(error.__cause__))
        except (httpx2.RequestError, ssl.SSLError, OSError) as error:  # while an error's page was read
            return Lost(_reason(error))
        return _read(response, deadline, seconds)

    def _without_key(self, body: bytes) -> bytes:
        """Some servers quote the key that they refuse; it is not to reach a log."""
        return body.replace(self._key, b"...") if len(self._key) >= SECRET else body

    def _send(self, method: str, path: str, body: bytes | None, seconds: float) -> httpx2.Response:
        timeout = httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        # `stream=True` hands out the response before its body is read; the client types that as its own stream.
        options: dict[str, Any] = {
            "cast_to": httpx2.Response,
            "options": {"timeout": timeout},
            "stream": True,
            "stream_cls": Stream[object],
        }
        if method == "get":
            return self._client.get(path, **options)
        return self._client.post(path, content=body, **options)


def _read(response: httpx2.Response, deadline: Deadline, seconds: float) -> Answer | Lost:
    """The whole body, or nothing: read piece by piece, so that a server that drips cannot hold a thread for ever."""
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in response.iter_bytes():
            pieces.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                return Lost(f"the reply is longer than {MOST_BYTES // 2**20} MiB")
            if deadline.is_stopped():
                return Lost(UNWANTED)
            if deadline.passed():
                return Lost(f"the reply was not whole within {seconds:.3g} s")
    except httpx2.TimeoutException:
        return Lost(f"the reply stopped in the middle and did not go on within {seconds:.3g} s")
    except (httpx2.RequestError, ssl.SSLError, OSError) as error:
        return Lost(f"the connection was cut in the middle of the reply ({_reason(error)})")
    finally:
        response.close()
    return _answer(response, b"".join(pieces))


def _answer(response: httpx2.Response, body: bytes) -> Answer:
    word = response.headers.get("x-should-retry")
    return Answer(
        status=response.status_code,
        content_type=response.headers.get("content-type", ""),
        body=body,
        retry_after=asked_wait(response.headers, datetime.now(UTC)),
        may_retry=None if word is None else word.strip().lower() == "true",
        quotas=quotas(response.headers, datetime.now(UTC)),
    )


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or as a date; None when there is none to be read."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) * scale
        except ValueError:
            continue
        if 0 <= seconds < 1e9:
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds())


def _sent(error: BaseException | None) -> bool:
    """False when no connection was made."""
    return not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _reason(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return f"its certificate is not trusted: {text}"
    return text or type(error).__name__
