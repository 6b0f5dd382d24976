"""The quirks of servers."""

import pytest

from agents.models.native.writing import Shape
from agents.models.openai_chat.dialect import PLAINEST, QUIRKS, Dialect, Dialects, first_dialect


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            Dialect(limit="max_completion_tokens"),
        ),
        (
            "Unsupported value: 'temperature' does not support 0.2 with this model. "
            "Only the default (1) value is supported.",
            Dialect(temperature=False),
        ),
        ("Range of max_tokens should be [1, 2000]", Dialect(limit="none")),
        ("messages.2.content: Input should be a valid string", Dialect(shape=Shape(null_content=False))),
        (
            "Invalid type for 'messages[1].content': expected a string, but got null instead.",
            Dialect(shape=Shape(null_content=False)),
        ),
        (
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            Dialect(shape=Shape(system_role="user")),
        ),
        ("This model only support stream mode, please enable the stream parameter", Dialect(stream=True)),
        ("parameter.enable_thinking must be set to false for non-streaming calls", Dialect(stream=True)),
        (
            "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0]': Cannot find field.",
            Dialect(shape=Shape(plain_schemas=True)),
        ),
        (
            "Missing `reasoning_content` field in the assistant message at message index 3.",
            Dialect(shape=Shape(replays="all")),
        ),
        (
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            Dialect(shape=Shape(replays="all")),
        ),
        ("messages.1: Unknown field `reasoning_details`", Dialect(shape=Shape(replays="none"))),
    ],
)
def test_a_refusal_teaches_how_to_ask(said: str, changed: Dialect) -> None:
    """One quirk at a time is learnt from the server's words, and remembered."""
    dialects = Dialects("h")
    assert dialects.learn("m", dialects.of("m"), said)
    assert dialects.of("m") == changed
    assert dialects.of("another") == Dialect()


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("registry.ollama.ai/library/gemma:2b does not support tools", 400),
        ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 400),
        ("tools param requires --jinja flag", 500),
        ("Unsupported param: tools", 500),
        ("deepseek-reasoner does not support Function Calling", 400),
        ("Unsupported parameter: 'tools' is not supported with this model.", 400),
        ("No endpoints found that support tool use. To learn more about provider routing, visit: https://h", 404),
        ("`tools` is not supported with this model", 400),
        ("Function calling is not enabled for this model", 400),
        ("Unrecognized request argument supplied: tools", 400),
        ("ollama does not support parameters: ['tools'], for model=gemma", 400),
        ("Tool use has not been enabled, because it is unsupported by this model", 400),
        ("tools param is not fully supported yet", 500),
        ("Extra inputs are not permitted; body.tools", 422),
        ("The model `x` has no tool calling capability", 400),
    ],
)
def test_a_refusal_of_tools_is_known(said: str, status: int) -> None:
    """Servers say in many words and with many statuses that a model takes no tools."""
    dialects = Dialects("h")
    assert dialects.learn("m", dialects.of("m"), said, status)
    assert dialects.of("m") == Dialect(tools=False)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Invalid schema for function 'get_x': schema must be a JSON Schema of 'type: \"object\"'", 400),
        ("Unknown parameter: 'tools[0].function.strict'.", 400),
        ("Extra inputs are not permitted; tools.0.function.strict", 422),
        ("tools.0.custom.input_schema: input_schema does not support oneOf at the top level", 400),
        ("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", 400),
        ("An assistant message with 'tool_calls' must be followed by tool messages", 400),
        ("The model `gemma` does not exist or you do not have access to it.", 404),
        ("gemma does not support tools", 429),
        ("gemma does not support tools", 503),
        ("upstream error", 500),
    ],
)
def test_what_is_about_something_else_costs_no_tools(said: str, status: int) -> None:
    """A wrong schema, an unknown model, a busy server: tools stay."""
    dialects = Dialects("h")
    dialects.learn("m", dialects.of("m"), said, status)
    assert dialects.of("m").tools


def test_stop_sequences_go_out_where_they_are_taken() -> None:
    """OpenAI's reasoning models refuse them."""
    dialects = Dialects("h")
    assert dialects.of("m").settings("m", None, 9, ("\nX:",))["stop"] == ["\nX:"]
    assert dialects.learn("m", dialects.of("m"), "Unsupported parameter: 'stop' is not supported with this model.")
    assert "stop" not in dialects.of("m").settings("m", None, 9, ("\nX:",))


def test_openais_newer_name_is_given_up_where_it_is_unknown() -> None:
    """A server behind OpenAI's name that knows the older one only is asked so."""
    dialects = Dialects("api.openai.com")
    said = "not permitted; extra_forbidden; body.max_completion_tokens"
    assert dialects.learn("m", dialects.of("m"), said)
    assert dialects.of("m").limit == "max_tokens"


def test_no_quirk_is_tried_twice() -> None:
    """A server that refuses everything is believed in the end."""
    dialects = Dialects("h")
    said = "temperature and max_tokens and max_completion_tokens are not supported"
    learnt = 0
    while dialects.learn("m", dialects.of("m"), said):
        learnt += 1
        assert learnt <= len(QUIRKS)
    assert not dialects.learn("m", dialects.of("m"), said)


@pytest.mark.parametrize(
    "said", ["", "Incorrect API key provided", "The server had an error", "I like the temperature here"]
)
def test_other_words_teach_nothing(said: str) -> None:
    """Only a refusal that names its object changes how a server is asked."""
    dialects = Dialects("h")
    assert not dialects.learn("m", dialects.of("m"), said)
    assert dialects.of("m") == Dialect()


def test_what_another_thread_learnt_is_used() -> None:
    """A refusal of the old form, when the new one is known already, is a reason to ask again."""
    dialects = Dialects("h")
    old = dialects.of("m")
    dialects.learn("m", old, "temperature is not supported")
    assert dialects.learn("m", old, "temperature is not supported")
    assert dialects.of("m") == Dialect(temperature=False)


@pytest.mark.parametrize(
    ("host", "limit"),
    [
        ("api.openai.com", "max_completion_tokens"),
        ("x.openai.azure.com", "max_completion_tokens"),
        ("localhost", "max_tokens"),
        ("evil-api.openai.com.example", "max_tokens"),
    ],
)
def test_begins_with_what_a_host_takes(host: str, limit: str) -> None:
    """OpenAI's own models want the newer name, everybody else knows the older."""
    assert first_dialect(host).limit == limit


def test_settings_follow_the_dialect() -> None:
    """Each flag takes its member out, or puts it in."""
    assert Dialect().settings("m", 0.2, 5) == {"model": "m", "temperature": 0.2, "max_tokens": 5}
    bare = Dialect(limit="none", temperature=False, stream=True, stream_usage=False)
    assert bare.settings("m", 0.2, 5) == {"model": "m", "stream": True}
    assert Dialect(stream=True).settings("m", None, 5)["stream_options"] == {"include_usage": True}


def test_the_plainest_form_is_tried_once() -> None:
    """After a refusal that teaches nothing; one of the content, or with another status, is none of the form."""
    dialects = Dialects("h")
    usual = dialects.of("m")
    assert not dialects.degrade("m", usual, "Bad Request", 401)
    assert not dialects.degrade("m", usual, "DataInspectionFailed: inappropriate content", 400)
    assert dialects.degrade("m", usual, "Bad Request", 400)
    plainest = dialects.of("m")
    assert plainest == PLAINEST.applied(usual) != usual
    dialects.restore("m", plainest, usual)
    assert dialects.of("m") == usual
    assert not dialects.degrade("m", usual, "Bad Request", 400)


def test_a_silent_model_is_asked_for_thoughts_as_arguments() -> None:
    """Known for the process, each model for itself; what another thread learnt meanwhile is not undone."""
    dialects = Dialects("h")
    usual = dialects.of("m")
    dialects.silent("m", usual)
    asking = dialects.of("m")
    assert asking == Dialect(shape=Shape(asks_thought=True))
    assert dialects.of("n") == Dialect()
    assert dialects.learn("m", asking, "temperature is not supported")
    dialects.silent("m", usual)
    assert dialects.of("m") == Dialect(temperature=False, shape=Shape(asks_thought=True))
