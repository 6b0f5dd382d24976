"""What servers that speak chat completions differ in: a table of quirks, learnt from their refusals."""

import logging
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agents.models.native.writing import Shape

log = logging.getLogger(__name__)

Limit = Literal["max_tokens", "max_completion_tokens", "none"]

_REFUSING = re.compile(
    r"unsupported|not (?:be )?(?:supported|permitted|allowed|recogni[sz]ed)|unknown|unrecogni[sz]ed|unexpected"
    r"|extra (?:inputs|fields)|extra_forbidden|(?:does not|doesn't) support|only (?:the default|supports?)|invalid"
    r"|deprecated|cannot find field|too large|(?:must|should) be",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one server wants to be asked for one model."""

    limit: Limit = "max_tokens"
    temperature: bool = True
    stream: bool = False
    stream_usage: bool = True
    stop: bool = True
    tools: bool = True
    """False: the server refuses a request with tools for this model."""
    shape: Shape = field(default_factory=Shape)

    def settings(
        self, model: str, temperature: float | None, max_output: int, stop: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The members of a request beside its messages and tools."""
        members: dict[str, Any] = {"model": model}
        if self.temperature and temperature is not None:
            members["temperature"] = temperature
        if self.limit != "none":
            members[self.limit] = max_output
        if self.stop and stop:
            members["stop"] = list(stop)
        if self.stream:
            members["stream"] = True
            if self.stream_usage:
                members["stream_options"] = {"include_usage": True}
        return members


@dataclass(frozen=True, slots=True)
class Quirk:
    """A refusal that names `about` (and says that it is refused) is answered by asking with `change`."""

    name: str
    about: re.Pattern[str]
    change: dict[str, Any]
    shape: dict[str, Any] = field(default_factory=dict[str, Any])
    refusing: bool = True
    statuses: frozenset[int] = frozenset({400, 422})
    """The statuses by which servers refuse the form of a request."""

    def fits(self, said: str) -> bool:
        """True when these words of a server are this quirk."""
        return bool(self.about.search(said)) and (not self.refusing or bool(_REFUSING.search(said)))

    def applied(self, dialect: Dialect) -> Dialect:
        """The dialect with the quirk respected."""
        return replace(dialect, **self.change, shape=replace(dialect.shape, **self.shape))


def _about(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_TOOLS = r"\b(?:tools?|tool[ _]choice|tool use|tool calls?|tool calling|function[ _]call(?:ing|s)?|functions)\b"
NO_TOOLS = Quirk(
    "takes no tools, which are described in the text protocol",
    _about(
        rf"(?:not|n't) (?:\w+ )?(?:support(?:ed)?|enabled?|available|allowed|permitted)[^.;]{{0,40}}{_TOOLS}(?![.\[\d])"
        rf"|{_TOOLS}['\"`]?[^.;\[]{{0,40}}(?:is|are|was|were|has|have)(?:n't| not)(?: been| yet| fully)?"
        r" (?:support|enabled|available|allowed|permitted|implemented)"
        r"|unsupported param(?:eter)?s?:? ['\"`\[]{0,2}(?:tools|functions)\b(?![.\[])"
        r"|(?:unrecogni[sz]ed|unknown|unexpected)[^.;]{0,40}:? ['\"`]?(?:tools|functions)['\"`]?(?![.\[\w])"
        r"|no endpoints found that support (?:tool use|the provided 'tool_choice')"
        r"|tools param requires|requires --enable-auto-tool-choice|tool choice requires"
        r"|\bbody[.,] ?tools\b(?![.,\[])"
        r"|\bno (?:tool|function)[ -]call(?:ing|s)? (?:support|capabilit)"
    ),
    {"tools": False},
    refusing=False,
    # llama.cpp answers 500, gateways 404 or 501.
    statuses=frozenset({400, 404, 422, 500, 501}),
)

QUIRKS = (
    # The first that fits is tried first; each is tried once for a model.
    NO_TOOLS,
    Quirk(
        "wants max_completion_tokens",
        _about(r"\bmax_tokens\b.*max_completion_tokens"),
        {"limit": "max_completion_tokens"},
    ),
    Quirk("wants max_tokens", _about(r"max_completion_tokens"), {"limit": "max_tokens"}),
    Quirk("takes no limit of output", _about(r"\bmax_tokens\b"), {"limit": "none"}),
    Quirk("takes no stream_options", _about(r"stream_options|include_usage"), {"stream_usage": False}),
    Quirk(
        "streams only",
        _about(r"only supports? stream|non-streaming calls?|stream(=| must be | should be )true"),
        {"stream": True},
        refusing=False,
    ),
    Quirk("takes no stop sequences", _about(r"(?<![\w.])stop\b(?![\w.])"), {"stop": False}),
    Quirk("takes no temperature", _about(r"\btemperature\b"), {"temperature": False}),
    Quirk(
        "wants the reasoning of its earlier replies back",
        _about(
            r"missing[^.;]{0,60}reasoning_content|reasoning_content[^.;]{0,60}(?:missing|required|passed back|must)"
        ),
        {},
        {"replays": "all"},
        refusing=False,
    ),
    Quirk(
        "takes no reasoning of earlier replies",
        _about(r"\b(?:reasoning_content|reasoning_details|extra_content|thought_signature)\b"),
        {},
        {"replays": "none"},
    ),
    Quirk(
        "wants a text beside calls",
        _about(
            r"content.{0,80}(null|none\b|required|valid string|missing|expected (a )?string)|(null|none).{0,40}content"
        ),
        {},
        {"null_content": False},
        refusing=False,
    ),
    Quirk(
        "takes no system role", _about(r"\bsystem\b.{0,60}\brole|\brole.{0,80}\bsystem\b"), {}, {"system_role": "user"}
    ),
    Quirk(
        "takes plain schemas only",
        _about(r"additional_?properties|\$schema|schema|function_declarations|exclusiveM|\bparameters\b"),
        {},
        {"plain_schemas": True},
    ),
)

PLAINEST = Quirk(
    "refuses something that it does not name, and is asked as plainly as can be",
    _about(""),
    {"temperature": False, "stop": False},
    {"plain_schemas": True, "null_content": False, "replays": "none", "asks_thought": False},
    refusing=False,
)
_NOT_THE_FORM = re.compile(
    r"content[_ ](?:filter|management|policy)|moderation|safety|inspection|inappropriate|usage polic|api[_ -]?key"
    r"|quota|credit|balance|billing|model[^.;]{0,80}(?:not (?:exist|found)|does not exist|access)",
    re.IGNORECASE,
)
"""Words of a refusal that no other form of the same request would change."""

_STARTS: tuple[tuple[str, Limit], ...] = (
    ("api.openai.com", "max_completion_tokens"),
    (".openai.azure.com", "max_completion_tokens"),
)


def first_dialect(host: str) -> Dialect:
    """The dialect to begin with: what most servers take; OpenAI's own newer name for the limit at OpenAI's."""
    for end, limit in _STARTS:
        if host == end or host.endswith(end):
            return Dialect(limit=limit)
    return Dialect()


class Dialects:
    """Remembers, for one endpoint and as long as the process lives, how each of its models wants to be asked."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._known: dict[str, Dialect] = {}
        self._tried: dict[str, set[str]] = {}

    def of(self, model: str) -> Dialect:
        """How `model` is asked now."""
        return self._known.get(model) or first_dialect(self._host)

    def silent(self, model: str, used: Dialect) -> None:
        """A call came without a word beside it: from now on the thought is asked for as an argument."""
        with self._lock:
            if self.of(model) == used and not used.shape.asks_thought:
                self._known[model] = replace(used, shape=replace(used.shape, asks_thought=True))
                log.info("model %s at %s says nothing beside its calls; its thoughts are arguments", model, self._host)

    def learn(self, model: str, used: Dialect, said: str, status: int = 400) -> bool:
        """Change the dialect after a refusal in these words; True when asking again makes sense."""
        with self._lock:
            now = self.of(model)
            if now != used:
                return True  # another thread learnt meanwhile
            tried = self._tried.setdefault(model, set())
            for quirk in QUIRKS:
                changed = quirk.applied(now)
                new = quirk.name not in tried and changed != now and status in quirk.statuses
                if new and quirk.fits(said):
                    tried.add(quirk.name)
                    self._known[model] = changed
                    log.warning("model %s at %s %s; it is asked so from now on", model, self._host, quirk.name)
                    return True
        return False

    def degrade(self, model: str, used: Dialect, said: str, status: int) -> bool:
        """After a refusal that teaches nothing, ask as plainly as can be, once; True when asking again makes sense."""
        with self._lock:
            tried = self._tried.setdefault(model, set())
            plainest = PLAINEST.applied(used)
            known = self.of(model) != used or status not in PLAINEST.statuses or _NOT_THE_FORM.search(said)
            if known or plainest == used or PLAINEST.name in tried:
                return False
            tried.add(PLAINEST.name)
            self._known[model] = plainest
            log.warning("model %s at %s %s: %.200s", model, self._host, PLAINEST.name, said)
            return True

    def restore(self, model: str, degraded: Dialect, before: Dialect) -> None:
        """The plainest form was refused as well, so it was not the form: ask as before."""
        with self._lock:
            if self.of(model) == degraded:
                self._known[model] = before
                log.warning("model %s at %s refuses the plainest form too; it is asked as before", model, self._host)
