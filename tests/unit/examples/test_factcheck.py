"""The factcheck example: 100 claims, made anew they are the same, and each deserves what its pages say."""

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agents.evals.loading import read_cases
from agents.teams.factcheck.figures import agree, figures_of
from agents.tools.builtin.documents.markup import read_html

EXAMPLE = Path(__file__).parents[3] / "examples" / "factcheck"


@pytest.fixture(scope="module")
def load() -> Callable[[str], ModuleType]:
    """Loads one of the example's programs."""

    def loaded(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"factcheck_{name}", EXAMPLE / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return loaded


def test_it_is_always_the_same(load: Callable[[str], Any]) -> None:
    """What stands in the folder is what the maker makes."""
    make, serve = load("make"), load("serve")
    claims, papers = make.made()
    assert {paper.id: paper.record() for paper in papers} == serve.papers()
    cases = read_cases(EXAMPLE / "claims.yaml")
    assert [case.goal for case in cases] == [make.case(1, claim)["goal"] for claim in claims]
    assert Counter(claim.deserves for claim in claims) == {
        "supported": 40,
        "refuted": 30,
        "disagree": 12,
        "unknown": 18,
    }


def test_each_claim_deserves_what_its_pages_say(load: Callable[[str], Any]) -> None:
    """Read off the pages: which of the papers that are found have the claimed figure for this method and benchmark."""
    make, serve = load("make"), load("serve")
    claims, _ = make.made()
    known = serve.papers()
    for claim in claims:
        method, bench = claim.text.split()[0], claim.text.split()[-1]
        figure = claim.text.partition(" of ")[2].partition(" on ")[0]
        chosen = serve.found(known, f"all:{method} AND all:{bench}", [])
        says = [agree(figure, _first(paper["page"], method, bench)) for paper in chosen]
        verdict = "unknown"
        if len(chosen) == 2 and set(chosen[0]["authors"]).isdisjoint(chosen[1]["authors"]):
            verdict = "disagree" if len(set(says)) == 2 else "supported" if says[0] else "refuted"
        assert verdict == claim.deserves, claim


def _first(page: str, method: str, bench: str) -> str:
    text = read_html(page.encode(), "page").pages[0].text
    return max(figures_of(text), key=lambda found: found.words([method, bench])).written


def test_the_search_is_arxivs(load: Callable[[str], Any]) -> None:
    """All words have to be there; ids are found without words; nothing is found by nothing."""
    serve = load("serve")
    known = serve.papers()
    first = next(iter(known.values()))
    method = first["title"].split(":")[0].split()[-1]
    assert first in serve.found(known, f"all:{method}", [])
    assert serve.found(known, f"all:{method} AND all:zzz", []) == []
    assert serve.found(known, "", [first["id"], "9999.00001"]) == [first]
    assert serve.found(known, "", []) == []
