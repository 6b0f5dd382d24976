"""What an answer means that is no reply."""

import json

import pytest

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError
from agents.models.openai_chat.answers import Answer, Lost
from agents.models.openai_chat.failures import lost, refused, server_words, unreadable

URL = "http://h/v1"


def _answer(status: int, message: object = "no", **members: object) -> Answer:
    body = json.dumps({"error": {"message": message, **members}})
    return Answer(status, "application/json", body.encode())


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(status: int) -> None:
    """Time-outs, conflicts, limits and failures of the server may pass."""
    failure = refused(URL, _answer(status))
    assert (failure.kind, failure.retry) == ("unavailable", True)
    assert isinstance(failure.error("model m", 3), ModelUnavailableError)


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (
            400,
            "refused the request (400: no). See the endpoint's message; the request is not sent again.",
        ),
        (401, "did not accept the key (401: no). Check OPENAI_API_KEY."),
        (402, "wants to be paid (402: no). Check the account behind OPENAI_API_KEY."),
        (
            403,
            "does not allow this (403: no). Check what OPENAI_API_KEY may do, and from where.",
        ),
        (
            404,
            "does not know this (404: no). Check OPENAI_BASE_URL; it usually ends in /v1.",
        ),
        (
            422,
            "refused the request (422: no). See the endpoint's message; the request is not sent again.",
        ),
    ],
)
def test_what_does_not_pass_is_said_in_one_line(status: int, line: str) -> None:
    """The line says what, where and what to do; no further try is made."""
    failure = refused(URL, _answer(status))
    assert not failure.retry
    error = failure.error("model m", 1)
    assert isinstance(error, ModelRefusedError)
    assert str(error) == f"model m: the endpoint http://h/v1 {line}"


def test_an_unknown_model_is_told_apart_from_a_wrong_address() -> None:
    """Both are 404; the mend differs."""
    line = str(refused(URL, _answer(404, "The model `x` does not exist")).error("model x", 1))
    assert line.endswith("Check the name of the model: REMIT_MODEL, or the team's own.")


def test_a_model_without_tool_calls_is_said_to_be_one() -> None:
    """The mend is another model or the text protocol, not another key."""
    line = str(refused(URL, _answer(400, "gemma:2b does not support tools")).error("model m", 1))
    assert "Use a model that can call tools, or let the agent use the text protocol" in line


def test_a_spent_account_is_no_passing_limit() -> None:
    """A 429 for a spent quota never passes by waiting."""
    failure = refused(URL, _answer(429, "You exceeded your current quota", code="insufficient_quota"))
    assert (failure.kind, failure.retry) == ("refused", False)
    assert "wants to be paid" in failure.what


def test_the_servers_word_against_a_retry_counts() -> None:
    """`x-should-retry: false` ends it, as a failure that may pass later."""
    failure = refused(URL, Answer(500, "", b"boom", may_retry=False))
    assert (failure.kind, failure.retry, failure.mend) == ("unavailable", False, None)


@pytest.mark.parametrize(
    ("status", "message", "limit", "tokens"),
    [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9,001 tokens. "
            "Please reduce the length of the messages.",
            8192,
            9001,
        ),
        (
            400,
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
            "(2952 in the messages, 2048 in the completion).",
            4096,
            5000,
        ),
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context length is "
            "4096 tokens and your request has 3000 input tokens (2048 > 4096 - 3000).",
            4096,
            3000,
        ),
        (
            400,
            "request (12345 tokens) exceeds the available context size (8192 tokens), try increasing it",
            8192,
            12345,
        ),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000),
        (
            400,
            "The input token count (1500000) exceeds the maximum number of tokens allowed (1048575).",
            1048575,
            1500000,
        ),
        (400, "Range of input length should be [1, 30720]", 30720, None),
        (500, "context size exceeded", None, None),
        (413, "Payload too large", None, None),
    ],
)
def test_an_overflow_is_known_by_its_words(status: int, message: str, limit: int | None, tokens: int | None) -> None:
    """Each server says it in its own way; the counts are read where they stand."""
    error = refused(URL, _answer(status, message)).error("model m", 1)
    assert isinstance(error, ContextOverflowError)
    assert (error.limit, error.tokens) == (limit, tokens)


def test_the_code_alone_tells_an_overflow() -> None:
    """OpenAI gives it a code."""
    assert refused(URL, _answer(400, "no", code="context_length_exceeded")).kind == "overflow"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "m", "code": "c", "type": "t", "param": null}}', "m; c; t"),
        (b'{"error": "plain"}', "plain"),
        (
            b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "x"], "msg": "not permitted", "input": "ECHO"}]}',
            "not permitted; extra_forbidden; body.x",
        ),
        (b'{"message": "m", "messages": "ECHO"}', "m"),
        (b"upstream failed", "upstream failed"),
        (b"", ""),
        (b"\xff", "\ufffd"),
        (b"[]", ""),
    ],
)
def test_reads_the_words_of_an_error(body: bytes, words: str) -> None:
    """Only what the server says counts, never what it echoes of our own text."""
    assert server_words(body) == words


def test_a_long_message_is_one_short_line() -> None:
    """A person sees one line, whatever the server sends."""
    what = refused(URL, _answer(400, "a\nb " * 1000)).what
    assert "\n" not in what
    assert len(what) < 400


def test_a_web_page_is_called_one() -> None:
    """The usual sign of a wrong address or a broken gateway."""
    failure = unreadable(URL, Answer(200, "text/html", b"<!DOCTYPE html><html>"), "the body is no JSON")
    assert failure.retry
    assert str(failure.error("model m", 3)) == (
        "model m: the endpoint http://h/v1 answered 200 without a reply: the answer is a web page "
        "(it begins `<!DOCTYPE html><html>`), the last of 3 tries. "
        "Check that OPENAI_BASE_URL is the address of a model server."
    )


def test_a_lost_answer_is_tried_again() -> None:
    """What never came may come."""
    failure = lost(URL, Lost("Connection refused"))
    assert (failure.kind, failure.retry) == ("unavailable", True)
    assert "did not answer: Connection refused" in failure.what
