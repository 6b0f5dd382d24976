"""What the adapter does when a server fails in each of the ways in which servers fail."""

import socket
import time
from collections.abc import Callable

import pytest

from agents.errors import ContextOverflowError, ModelRefusedError, ModelUnavailableError
from agents.fake_model.serving import FakeModel
from agents.models.base import Message, ModelRequest
from agents.models.openai_chat.model import Sampling
from agents.models.openai_chat.registry import Models
from agents.models.openai_chat.tries import TryEvent

Serve = Callable[[str], FakeModel]
Open = Callable[..., Models]
Ask = Callable[..., ModelRequest]


@pytest.mark.parametrize(
    "fault",
    [
        "{status: 408}",
        "{status: 409}",
        "{status: 429}",
        "{status: 500}",
        "{status: 503}",
        "reset",
        "cut",
        "garbage",
        "html",
        "empty",
    ],
)
def test_what_passes_is_survived(fake_model: Serve, models: Open, ask: Ask, fault: str) -> None:
    """Two failures and a success: three requests, one whole reply, nothing of the failed ones in it."""
    server = fake_model(f"""
rules:
  - {{times: 2, reply: {{text: half an answer that is long enough to be cut, fault: {fault}}}}}
  - reply: {{text: whole}}
""")
    assert models(server.url).model().complete(ask()).text == "whole"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        ("{status: 503, message: overloaded}", "failed (503: overloaded; scripted)"),
        ("reset", "did not answer: "),
        ("cut", "the connection was cut in the middle of the reply"),
        ("garbage", "answered 200 without a reply: the body is no JSON"),
        ("html", "answered 200 without a reply: the answer is a web page"),
        ("empty", "answered 200 without a reply: the body holds no choices"),
    ],
)
def test_after_three_tries_it_is_said_what_was_seen(
    fake_model: Serve, models: Open, ask: Ask, fault: str, seen: str
) -> None:
    """The error names the model, the endpoint and the last failure; three requests were made, no more."""
    server = fake_model(f"rules: [{{reply: {{text: some words, fault: {fault}}}}}]")
    with pytest.raises(ModelUnavailableError) as caught:
        models(server.url).model().complete(ask())
    line = str(caught.value)
    assert line.startswith(f"model fake: the endpoint {server.url} ")
    assert seen in line
    assert "the last of 3 tries" in line
    assert "\n" not in line
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "mend"),
    [(401, "Check OPENAI_API_KEY."), (403, "OPENAI_API_KEY"), (404, "OPENAI_BASE_URL"), (413, "Shorten")],
)
def test_a_refusal_is_not_tried_again(fake_model: Serve, models: Open, ask: Ask, status: int, mend: str) -> None:
    """One request, one clear line."""
    server = fake_model(f"rules: [{{reply: {{fault: {{status: {status}}}}}}}]")
    with pytest.raises(ModelRefusedError, match=rf"\({status}: scripted failure") as caught:
        models(server.url).model().complete(ask())
    assert mend in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("message", ["The response was filtered: content management policy", "insufficient_quota"])
def test_a_refusal_of_what_is_asked_is_not_asked_in_another_form(
    fake_model: Serve, models: Open, ask: Ask, message: str
) -> None:
    """A filtered prompt and an empty account are no matter of form."""
    server = fake_model(f"rules: [{{reply: {{fault: {{status: 400, message: '{message}'}}}}}}]")
    with pytest.raises(ModelRefusedError, match="not sent again"):
        models(server.url).model().complete(ask())
    assert len(server.requests) == 1


def test_an_unknown_quirk_is_asked_around_once(
    fake_model: Serve, models: Open, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    """A 400 that names nothing: asked as plainly as can be, so from then on, and said in the log."""
    server = fake_model("""
rules:
  - {times: 1, reply: {fault: {status: 400, message: Bad Request}}}
  - reply: {text: whole}
""")
    opened = models(server.url)
    assert [opened.model().complete(ask()).text for _ in range(2)] == ["whole", "whole"]
    assert ["temperature" in request.json() for request in server.requests] == [True, False, False]
    (line,) = [record.getMessage() for record in caplog.records if record.name.endswith("dialect")]
    assert line == (
        "model fake at 127.0.0.1 refuses something that it does not name, and is asked as plainly as can be: "
        "Bad Request; scripted"
    )


def test_a_refusal_of_any_form_is_believed(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The plainest form is tried once for the process, and given up when it does not help either."""
    server = fake_model("rules: [{reply: {fault: {status: 400, message: Bad Request}}}]")
    opened = models(server.url)
    for _ in range(2):
        with pytest.raises(ModelRefusedError, match=r"\(400: Bad Request"):
            opened.model().complete(ask())
    assert ["temperature" in request.json() for request in server.requests] == [True, False, True]


def test_a_wrong_key_is_refused_and_not_repeated(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The server checks the key; the message tells which setting to look at, not the key."""
    server = fake_model("{key: sk-right, rules: [{reply: {text: ok}}]}")
    assert models(server.url, key="sk-right").model().complete(ask()).text == "ok"
    with pytest.raises(ModelRefusedError, match="did not accept the key") as caught:
        models(server.url, key="sk-wrong-key").model().complete(ask())
    assert "sk-wrong-key" not in str(caught.value)


def test_a_key_that_a_server_quotes_does_not_get_into_the_message(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Some servers repeat the key that they refuse."""
    server = fake_model("rules: [{reply: {fault: {status: 401, message: 'bad key sk-secret-1234'}}}]")
    with pytest.raises(ModelRefusedError, match=r"bad key \.\.\.") as caught:
        models(server.url, key="sk-secret-1234").model().complete(ask())
    assert "secret" not in str(caught.value)


def test_an_overflow_has_its_own_error(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The loop shrinks the transcript and goes on; the counts help it."""
    server = fake_model("""
rules:
  - reply:
      fault:
        status: 400
        code: context_length_exceeded
        message: This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.
""")
    with pytest.raises(ContextOverflowError) as caught:
        models(server.url).model().complete(ask())
    assert (caught.value.limit, caught.value.tokens) == (8192, 9001)
    assert len(server.requests) == 1


def test_retry_after_is_kept(fake_model: Serve, models: Open, ask: Ask) -> None:
    """The next try comes no sooner than the server asked for."""
    server = fake_model("""
rules:
  - {times: 1, reply: {fault: {status: 429, retry_after: 0.3}}}
  - reply: {text: ok}
""")
    assert models(server.url).model().complete(ask()).text == "ok"
    first, second = server.requests
    assert 0.3 <= second.at - first.at < 30


def test_a_wait_past_the_deadline_is_handed_to_the_caller(fake_model: Serve, models: Open, ask: Ask) -> None:
    """No thread sleeps towards a deadline that it cannot keep; the caller learns how long to wait."""
    server = fake_model("rules: [{reply: {fault: {status: 429, retry_after: 40}}}]")
    began = time.monotonic()
    with pytest.raises(ModelUnavailableError) as caught:
        models(server.url).model().complete(ask(seconds=10))
    assert caught.value.retry_after == 40
    assert time.monotonic() - began < 30
    assert len(server.requests) == 1


def test_a_server_that_never_answers_is_given_up(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Each try has its own time, and the tries are counted."""
    server = fake_model("rules: [{reply: {fault: timeout}}]")
    with pytest.raises(ModelUnavailableError, match=r"no answer within 0\.2 s, the last of 2 tries"):
        models(server.url, tries=2).model(sampling=Sampling(seconds=0.2)).complete(ask())
    assert len(server.requests) == 2


def test_a_server_that_drips_is_given_up(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A byte now and then does not keep a thread beyond its time."""
    server = fake_model("rules: [{reply: {text: a long enough text, fault: {kind: drip, seconds: 4}}}]")
    began = time.monotonic()
    with pytest.raises(ModelUnavailableError, match=r"within 0\.5 s"):
        models(server.url, tries=1).model(sampling=Sampling(seconds=0.5)).complete(ask())
    assert time.monotonic() - began < 25


def test_a_server_that_stops_in_the_middle_is_given_up(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Silence in the middle of a reply is a time-out as well."""
    server = fake_model("rules: [{reply: {text: a long enough text, fault: {kind: drip, seconds: 60}}}]")
    with pytest.raises(ModelUnavailableError, match=r"stopped in the middle and did not go on within 0\.3 s"):
        models(server.url, tries=1).model(sampling=Sampling(seconds=0.3)).complete(ask())


def test_an_error_that_is_cut_is_a_lost_answer(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Nobody knows what the rest would have said, so it is tried again, also under a status of refusal."""
    server = fake_model("""
rules:
  - {times: 1, reply: {text: some long enough words, fault: {kind: cut, status: 400}}}
  - reply: {text: whole}
""")
    assert models(server.url).model().complete(ask()).text == "whole"


def test_the_deadline_of_the_request_counts_over_the_time_of_a_try(fake_model: Serve, models: Open, ask: Ask) -> None:
    """With 0.3 s left nobody waits for 30, and no further try is made."""
    server = fake_model("rules: [{reply: {fault: timeout}}]")
    began = time.monotonic()
    with pytest.raises(ModelUnavailableError):
        models(server.url).model().complete(ask(seconds=0.3))
    assert time.monotonic() - began < 25
    with pytest.raises(ModelUnavailableError, match="no time was left"):
        models(server.url).model().complete(ask(seconds=0))


def test_a_cut_stream_is_tried_again(fake_model: Serve, models: Open, ask: Ask) -> None:
    """Half a stream is no answer, however much of it came."""
    server = fake_model("""
rules:
  - {times: 1, reply: {fault: {status: 400, message: only support stream mode}}}
  - {times: 1, reply: {text: half an answer that breaks off somewhere in the middle, fault: cut}}
  - reply: {text: whole}
""")
    assert models(server.url).model().complete(ask()).text == "whole"
    assert [exchange.outcome.rule for exchange in server.requests] == [1, 2, 3]


def test_nobody_there(models: Open, ask: Ask) -> None:
    """A refused connection names the address and what to check."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(ModelUnavailableError) as caught:
            models(url).model().complete(ask())
    assert f"the endpoint {url} did not answer: " in str(caught.value)
    assert "refused" in str(caught.value)
    assert str(caught.value).endswith("Check that the server runs and that OPENAI_BASE_URL is its address.")


def test_each_try_is_told_before_and_after(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A ledger can reserve before each try and settle after it."""
    server = fake_model("""
rules:
  - {times: 1, reply: {fault: {status: 429, retry_after: 0}}}
  - reply: {text: ok, usage: {input: 5, output: 1}}
""")
    events: list[TryEvent] = []
    reply = models(server.url, on_try=events.append).model().complete(ask(step=8))
    assert [(event.phase, event.attempt, event.step) for event in events] == [
        ("start", 1, 8),
        ("end", 1, 8),
        ("start", 2, 8),
        ("end", 2, 8),
    ]
    assert (events[1].status, events[1].retry_after, events[1].usage) == (429, 0.0, None)
    assert events[1].failure is not None
    assert (events[3].failure, events[3].usage) == (None, reply.usage)
    assert events[0].sent_bytes == len(server.requests[0].body)
    assert all(event.model == "fake" and event.address == server.url for event in events)


def test_whoever_is_told_can_stop_a_try(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A limit that is reached keeps the request from being sent, and its error comes through."""
    server = fake_model("rules: [{reply: {text: ok}}]")

    def no_money(event: TryEvent) -> None:
        raise PermissionError(event.phase)

    with pytest.raises(PermissionError, match="start"):
        models(server.url, on_try=no_money).model().complete(ask())
    assert server.requests == []


def test_a_request_that_no_rule_answers_is_told_at_once(fake_model: Serve, models: Open, ask: Ask) -> None:
    """A gap in a script shows itself in one request, with what was asked."""
    server = fake_model("rules: [{when: {system: planner}, reply: {text: ok}}]")
    with pytest.raises(ModelUnavailableError, match="no rule of the script fits request 1: model `fake`, 2 messages"):
        models(server.url).model().complete(ask(Message("system", "You review."), Message("user", "Go")))
    assert len(server.requests) == 1
