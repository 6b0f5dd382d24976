"""Filling templates."""

from typing import Any

import pytest

from agents.fake_model.requests import asked
from agents.fake_model.templates import TemplateFailedError, Templates

NAMES = asked(
    {
        "model": "fake",
        "messages": [
            {"role": "system", "content": "You plan."},
            {"role": "user", "content": [{"type": "text", "text": "Goal 7"}]},
            {"role": "tool", "content": 'E1.1:\n{"data": {"total": 12.5, "rows": [1, 2], "城市": "上海"}}\nend'},
            {"role": "tool", "content": "no JSON [here"},
            {"role": "tool", "content": '{"data": {"total": 42, "rows": [3], "id": "007"}}'},
        ],
    },
    9,
).names() | {"groups": {"n": "5"}}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("plain", "plain"),
        ("{{ result.data.total }}", 42),
        ("total {{ result.data.total }}", "total 42"),
        ("{{ result.data.id }}", "007"),
        ("{{ result.data.rows }}", [3]),
        ("{{ results[0].data.total + 1 }}", 13.5),
        ("{{ results[0].data['城市'] }}", "上海"),
        ("{{ results[1] }}", "no JSON [here"),
        ("{{ groups.n }}{{ request }}", "59"),
        ("{{ user | find('Goal ([0-9]+)') }}", "7"),
        ("{{ result | find('[0-9]+') }}", "42"),
        ("{{ result.data | json }}", '{"total": 42, "rows": [3], "id": "007"}'),
        ("{% if 'plan' in system %}yes{% endif %}", "yes"),
        ("{{ model }}, {{ last | length }}, {{ replies }}", "fake, 49, 0"),
        ({"a": ["{{ request }}", {"b": "{{ model }}"}], "c": 1}, {"a": [9, {"b": "fake"}], "c": 1}),
        (None, None),
    ],
)
def test_quotes_the_request(template: Any, filled: Any) -> None:
    """A lone expression keeps its type; anything else is text."""
    assert Templates().fill(template, NAMES) == filled


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("{{ nothing }}", "the request holds no such thing"),
        ("x {{ nothing }}", "'nothing' is undefined"),
        ("{{ result.data.gone }}", "the request holds no such thing"),
        ("{{ result.data.gone.deeper }}", "has no attribute 'gone'"),
        ("{{ user | find('xyz') }}", "nothing matches xyz"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ result.__class__.__mro__ }}", "is unsafe"),
    ],
)
def test_says_what_the_request_does_not_hold(template: str, what: str) -> None:
    """The template is quoted with the reason; nothing private can be reached."""
    with pytest.raises(TemplateFailedError, match=what):
        Templates().fill(template, NAMES)
