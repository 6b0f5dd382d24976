"""The tokens of a reply."""

import pytest

from agents.models.openai_chat.usage import Tokens, estimate, tokens_of


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 30, "completion_tokens": 4}, Tokens(30, 4)),
        ({"prompt_tokens": 30, "completion_tokens": 0}, Tokens(30, 0)),
        ({"input_tokens": 30, "output_tokens": 4}, Tokens(30, 4)),
        (
            {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 20}},
            Tokens(30, 4, 20),
        ),
        ({"prompt_tokens": 30, "completion_tokens": 4, "prompt_cache_hit_tokens": 20}, Tokens(30, 4, 20)),
        (
            {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 99}},
            Tokens(30, 4, 30),
        ),
        ({"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": None}, Tokens(30, 4)),
    ],
)
def test_takes_the_servers_count(usage: dict[str, object], tokens: Tokens) -> None:
    """Under whichever names it comes."""
    assert tokens_of({"usage": usage}, b"x" * 400, "y" * 40) == tokens


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"usage": None},
        {"usage": {}},
        {"usage": {"prompt_tokens": 0, "completion_tokens": None}},
        {"usage": {"prompt_tokens": -1, "completion_tokens": "4"}},
        {"usage": {"prompt_tokens": True}},
        [],
    ],
)
def test_estimates_what_is_missing_and_says_so(body: object) -> None:
    """A budget needs a number; a guess is marked as one."""
    assert tokens_of(body, b"x" * 400, "y" * 40) == Tokens(100, 10, 0, estimated=True)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("上海天气", 4), ("上海 sunny", 4)])
def test_a_chinese_character_is_a_token(text: str, tokens: int) -> None:
    """Four letters, or one Chinese character."""
    assert estimate(text.encode()) == tokens
