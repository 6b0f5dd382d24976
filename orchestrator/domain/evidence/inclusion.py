"""Takes the texts that tools made into a report, where it has `{{E4.2/table.md}}` on a line of its own."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from orchestrator.domain.evidence.blocks import blocks
from orchestrator.domain.evidence.citations import cited
from orchestrator.domain.evidence.mending import missing_include

INCLUDE = re.compile(r"^[ \t]*\{\{[ \t]*(?P<name>(?P<ref>E\d+\.\d+)/[^{}\n]*?)[ \t]*\}\}[ \t]*\r?$", re.MULTILINE)
LEFT_OVER = re.compile(r"\{\{[ \t]*(?P<ref>E\d+\.\d+)\b[^{}\n]*\}\}")
"""An include that is still there, because its file is unknown or it shares its line."""
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)

Files = Mapping[str, str] | Callable[[str], str | None]


def includes(text: str) -> tuple[str, ...]:
    """The files that a text takes in (`E4.2/table.md`), in order."""
    return tuple(dict.fromkeys(match["name"] for match in INCLUDE.finditer(text)))


def expand(text: str, files: Files) -> tuple[str, tuple[str, ...]]:
    """The text with its includes taken in, and a sentence for each file that there is not.

    What is taken in cites its observation: where it does not do so itself, a source line is set below each section.
    Includes inside what is taken in are left as they are.
    """
    missing: list[str] = []

    def taken_in(match: re.Match[str]) -> str:
        content = _content(files, match["name"])
        if content is None:
            line = text.count("\n", 0, match.start()) + 1
            known = sorted(files) if isinstance(files, Mapping) else []
            missing.append(f"Line {line}: {missing_include(match['name'], known)}")
            return f"*({match['name']} is missing)*"
        in_fence = len(_FENCE.findall(text, 0, match.start())) % 2 == 1
        return content.rstrip("\n") if in_fence else _sourced(content.strip("\n"), match["ref"])

    return INCLUDE.sub(taken_in, text), tuple(missing)


def _content(files: Files, name: str) -> str | None:
    try:
        return files[name] if isinstance(files, Mapping) else files(name)
    except LookupError:
        return None


def _sourced(content: str, ref: str) -> str:
    """The content with a source line below each of its sections that has figures and no citation."""
    content = content.replace("\r\n", "\n")
    starts = [block.start for block in blocks(content) if block.kind == "heading"]
    sections = pairwise([0, *(start for start in starts if start), len(content)])
    return "\n\n".join(_with_source(content[left:right].strip("\n"), ref) for left, right in sections)


def _with_source(section: str, ref: str) -> str:
    if cited(section) or not re.search(r"\d", section):
        return section
    return f"{section}\n\nSource: [{ref}]"
