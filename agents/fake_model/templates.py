"""Fills the templates of a scripted reply with what the request holds."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, Undefined
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel

_ONE_EXPRESSION = re.compile(r"\A\s*\{\{((?:(?!\}\}|\{\{).)*)\}\}\s*\Z", re.DOTALL)


class TemplateFailedError(ValueError):
    """A template asks for something that the request does not hold."""


class Templates:
    """Fills texts; holds the template engine, which is slow to make and is used by one server."""

    def __init__(self) -> None:
        self._engine = _engine()

    def fill(self, value: Any, names: Mapping[str, Any]) -> Any:
        """`value` with every template inside filled. A text that is one `{{ … }}` alone keeps the type it names.

        Raises TemplateFailedError.
        """
        if isinstance(value, str):
            return self._text(value, names) if _is_template(value) else value
        if isinstance(value, Mapping):
            return {key: self.fill(item, names) for key, item in cast("Mapping[str, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [self.fill(item, names) for item in cast("list[Any]", value)]
        return value

    def _text(self, text: str, names: Mapping[str, Any]) -> Any:
        try:
            if alone := _ONE_EXPRESSION.match(text):
                value = self._engine.compile_expression(alone[1], undefined_to_none=False)(**names)
                if isinstance(value, Undefined):
                    raise TemplateFailedError(f"`{text}`: the request holds no such thing")
                return value
            return self._engine.from_string(text).render(**names)
        except TemplateFailedError:
            raise
        except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
            raise TemplateFailedError(f"`{text}`: {error}") from None


def check_template(text: str) -> None:
    """Raises ValueError when `text` is a template that cannot be read."""
    if not _is_template(text):
        return
    try:
        _engine().parse(text)
    except TemplateSyntaxError as error:
        raise ValueError(f"the template `{text}` cannot be read: {error.message}") from None


def texts_in(value: object) -> Iterator[str]:
    """Every text inside nested data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        for _, item in value:
            yield from texts_in(item)
    elif isinstance(value, Mapping):
        for item in cast("Mapping[Any, Any]", value).values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in cast("list[Any]", value):
            yield from texts_in(item)


def _is_template(text: str) -> bool:
    return "{{" in text or "{%" in text


def _engine() -> SandboxedEnvironment:
    engine = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    engine.filters["json"] = _json
    engine.filters["find"] = _find
    return engine


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _find(value: object, pattern: str) -> str:
    """The first group of the first match of `pattern`, or the whole match where it has no group."""
    text = value if isinstance(value, str) else _json(value)
    match = re.search(pattern, text)
    if match is None:
        raise TemplateFailedError(f"nothing matches {pattern}")
    return match[1] if match.re.groups else match[0]
