"""Says what an answer means that is no reply: whose fault, worth a further try or not, and one line for a person."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError, ToolsRefusedError
from agents.models.openai_chat.answers import Answer, Lost
from agents.protocols.json_text import loads, whole_characters
from orchestrator.errors import RemitError

SHOWN = 300
"""Characters of a server's message that a person is shown."""

_RETRIED = frozenset({408, 409, 425, 429})
_NO_CREDIT = re.compile(
    r"insufficient[_ ](quota|balance|credit)|billing[_ ]|exceeded your current quota", re.IGNORECASE
)
_OVERFLOW = re.compile(
    r"context[_ ]length[_ ]exceeded|maximum context length|exceed_context_size|contextwindowexceeded"
    r"|context (size|window|length) (is |was )?exceeded|(prompt|input) is too long|too many (input )?tokens"
    r"|exceeds? the (available |model'?s? )?(maximum )?(context|number of tokens)"
    r"|range of input length|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE,
)
_COUNT = r"(\d[\d,]{2,})"
# In the order of trust: servers name other numbers beside the one that is meant.
_LIMIT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"context (?:length|size|window)\D{{0,40}}{_COUNT}",
        rf"(?:maximum|limit)\D{{0,40}}{_COUNT}",
        rf">\s*{_COUNT}",
        rf"\[\d+, {_COUNT}\]",
    )
)
_TOKENS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:resulted in|requested|you sent|prompt is too long:|contains|request) \(?(?:at least |about )?{_COUNT}",
        rf"{_COUNT} (?:input|prompt) tokens",
        rf"input token count \({_COUNT}\)",
    )
)
_NO_MODEL = re.compile(r"model", re.IGNORECASE)
_MENDS = {
    401: "Check OPENAI_API_KEY.",
    402: "Check the account behind OPENAI_API_KEY.",
    403: "Check what OPENAI_API_KEY may do, and from where.",
    404: "Check OPENAI_BASE_URL; it usually ends in /v1.",
    405: "Check OPENAI_BASE_URL; it usually ends in /v1.",
}
_MEANINGS = {
    401: "did not accept the key",
    402: "wants to be paid",
    403: "does not allow this",
    404: "does not know this",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no reply. `said`: the server's words, by which its quirks are known."""

    kind: Literal["unavailable", "refused", "overflow", "tools"]
    what: str
    retry: bool
    mend: str | None = None
    status: int | None = None
    said: str = ""
    retry_after: float | None = None
    limit: int | None = None
    tokens: int | None = None
    sent: bool = True
    """False when nothing of the request went out."""

    def error(self, where: str, tries: int) -> RemitError:
        """The error to raise when no further try is made."""
        if self.kind == "overflow":
            return ContextOverflowError(self.what, where=where, mend=self.mend, limit=self.limit, tokens=self.tokens)
        if self.kind == "tools":
            return ToolsRefusedError(self.what, where=where, mend=self.mend)
        if self.kind == "refused":
            return ModelRefusedError(self.what, where=where, mend=self.mend)
        what = self.what if tries < 2 else f"{self.what}, the last of {tries} tries"
        return ModelUnavailableError(what, where=where, mend=self.mend, retry_after=self.retry_after)


def lost(address: str, what: Lost) -> Failure:
    """No whole answer came."""
    return Failure(
        "unavailable",
        f"the endpoint {address} did not answer: {what.reason}",
        retry=True,
        mend="Check that the server runs and that OPENAI_BASE_URL is its address.",
        sent=what.sent,
    )


def no_tools(address: str) -> Failure:
    """The request has tools, and it is known that the endpoint refuses them for this model."""
    what = f"the endpoint {address} takes no tools for this model"
    return Failure("tools", what, retry=False, mend='Let the agent use the text protocol: `protocol = "text"`.')


def unreadable(address: str, answer: Answer, why: str) -> Failure:
    """An answer of success that holds no reply."""
    begin = _one_line(answer.body[:2_000].decode("utf-8", "replace"))
    if "html" in answer.content_type or begin.lower().startswith(("<!doctype", "<html")):
        why = "the answer is a web page"
    what = f"the endpoint {address} answered {answer.status} without a reply: {why}"
    if begin and begin[:40] not in why:
        what += f" (it begins `{begin[:120]}`)"
    return Failure(
        "unavailable",
        what,
        retry=True,
        mend="Check that OPENAI_BASE_URL is the address of a model server.",
        status=answer.status,
        retry_after=answer.retry_after,
    )


def refused(address: str, answer: Answer) -> Failure:
    """An answer that is an error: its status and its words decide whether the same request may succeed later."""
    said = server_words(answer.body)
    shown = f"{answer.status}: {_one_line(said)}" if said else str(answer.status)
    base = Failure("refused", "", retry=False, status=answer.status, said=said, retry_after=answer.retry_after)
    if answer.status == 413 or _OVERFLOW.search(said):
        return replace(
            base,
            kind="overflow",
            what=f"the request is longer than the endpoint {address} takes ({shown})",
            mend="Shorten the transcript, or use a model with a longer context.",
            limit=_count(_LIMIT, said),
            tokens=_count(_TOKENS, said),
        )
    if (answer.status in _RETRIED or answer.status >= 500) and not _NO_CREDIT.search(said):
        return replace(
            base,
            kind="unavailable",
            what=f"the endpoint {address} failed ({shown})",
            retry=answer.may_retry is not False,
            mend=None if answer.may_retry is False else "Try again later, or name another model to fall back on.",
        )
    meaning = _MEANINGS.get(402 if answer.status == 429 else answer.status, "refused the request")
    return replace(base, what=f"the endpoint {address} {meaning} ({shown})", mend=_mend(answer.status, said))


def server_words(body: bytes) -> str:
    """The words of an error's body, as plain text: message, code, parameter; never what it echoes of the request."""
    try:
        decoded = loads(body)
    except ValueError:
        return whole_characters(body[:2_000].decode("utf-8", "replace"))
    return "; ".join(dict.fromkeys(_words(decoded)))


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [word for item in cast("list[Any]", value)[:10] for word in _words(item)]
    if not isinstance(value, dict):
        return []
    members = cast("dict[str, Any]", value)
    words: list[str] = []
    for key in ("error", "errors", "detail", "details", "message", "msg", "code", "type", "param", "metadata", "raw"):
        words += _words(members.get(key))
    if isinstance(location := members.get("loc"), list):
        words.append(".".join(str(part) for part in cast("list[Any]", location)))
    return words


def _mend(status: int, said: str) -> str:
    if status == 404 and _NO_MODEL.search(said):
        return "Check the name of the model: REMIT_MODEL, or the team's own."
    if status == 429:
        return _MENDS[402]
    if "does not support tools" in said or "tool choice" in said.lower():
        return 'Use a model that can call tools, or let the agent use the text protocol: `protocol = "text"`.'
    return _MENDS.get(status, "See the endpoint's message; the request is not sent again.")


def _count(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        if match := pattern.search(text):
            return int(match[1].replace(",", ""))
    return None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"
