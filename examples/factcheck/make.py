"""Makes the example: 100 claims about invented papers, and the pages that bear them out or do not; always the same.

Every paper, author, method and benchmark is made up here. `python examples/factcheck/make.py` writes `claims.yaml`
and `pages.jsonl` again.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent
SEED = 20300101
FIRST, LAST = (
    ("Ada", "Bo", "Cleo", "Dag", "Elin", "Faro", "Greta", "Hal", "Ines", "Jun", "Kaya", "Lior", "Mads"),
    (
        "Ambrik",
        "Bellamo",
        "Corvin",
        "Dallas-Orr",
        "Esteves",
        "Farkas",
        "Grindal",
        "Holm",
        "Ivarsen",
        "Juhl",
        "Katz-Moor",
        "Lindqvist",
        "Moreau",
        "Nakagami",
    ),
)
HEADS = (
    "Bram",
    "Cor",
    "Del",
    "Fen",
    "Gal",
    "Hal",
    "Ild",
    "Jor",
    "Kel",
    "Lum",
    "Mar",
    "Nor",
    "Ost",
    "Pel",
    "Rud",
    "Sel",
)
AGES = ("Old", "Plain", "Wide", "Deep")
TAILS = ("mora", "dane", "wick", "essa", "ionet", "arcus", "ovar")


@dataclass(frozen=True)
class Measure:
    """A benchmark with what is measured on it."""

    benchmark: str
    name: str
    unit: str
    low: Decimal
    high: Decimal
    field: str

    def claim(self, method: str, value: Decimal) -> str:
        """The claim that a method has this value."""
        return f"{method} reaches {self.article} {self.name} of {value}{self.unit} on {self.benchmark}"

    @property
    def article(self) -> str:
        """`a` or `an`."""
        return "an" if self.name[0] in "aeiouAEIOUF" else "a"


MEASURES = (
    Measure("Fernwood", "accuracy", " %", Decimal("61.0"), Decimal("96.0"), "images of leaves"),
    Measure("LakeQA", "exact match", " %", Decimal("40.0"), Decimal("88.0"), "questions about lakes"),
    Measure("Harrowvoice", "word error rate", " %", Decimal("3.0"), Decimal("19.0"), "speech in the wind"),
    Measure("Quillmark", "F1 score", "", Decimal("55.0"), Decimal("93.0"), "names in old letters"),
    Measure("Saltmine", "mean absolute error", " cm", Decimal("1.2"), Decimal("9.8"), "depth in dark tunnels"),
    Measure("Paddock", "recall", " %", Decimal("50.0"), Decimal("97.0"), "horses in fog"),
    Measure("Brightwater", "BLEU score", "", Decimal("18.0"), Decimal("44.0"), "translation of ships' logs"),
    Measure("Cinderpath", "success rate", " %", Decimal("30.0"), Decimal("92.0"), "walking over rubble"),
)


@dataclass(frozen=True)
class Paper:
    """An invented paper as its page says it."""

    id: str
    title: str
    authors: tuple[str, ...]
    day: str
    abstract: str
    body: str
    """HTML."""

    def page(self) -> str:
        """The whole page."""
        names = ", ".join(self.authors)
        head = f"<title>{self.title}</title>"
        return (
            f"<!DOCTYPE html><html><head><meta charset='utf-8'>{head}</head><body><h1>{self.title}</h1>"
            f"<p>{names}. {self.day}.</p><h2>Abstract</h2><p>{self.abstract}</p>{self.body}</body></html>"
        )

    def record(self) -> dict[str, object]:
        """The paper as a line of pages.jsonl."""
        return {
            "id": self.id,
            "title": self.title,
            "authors": list(self.authors),
            "published": self.day,
            "abstract": self.abstract,
            "page": self.page(),
        }


class World:
    """Makes papers and claims, one after another, from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        names = [head + tail for head in HEADS for tail in TAILS]
        self.dice.shuffle(names)
        self._names = iter(names)
        self.papers: list[Paper] = []
        self._used: set[tuple[str, ...]] = set()

    def method(self) -> str:
        """A name that no other method has."""
        return next(self._names)

    def value(self, measure: Measure) -> Decimal:
        """A value within what is usual for the measure."""
        steps = int((measure.high - measure.low) * 10)
        return measure.low + Decimal(self.dice.randint(0, steps)) / 10

    def other_value(self, measure: Measure, than: Decimal) -> Decimal:
        """Another value that differs by more than rounding: two digits swapped, or some steps away."""
        swapped = "".join((str(than)[1], str(than)[0], str(than)[2:])) if than >= 10 else ""
        candidates = [Decimal(swapped)] if swapped and swapped[0] != "0" else []
        candidates += [than + step for step in map(Decimal, ("1.3", "-1.4", "2.7", "-3.2"))]
        fitting = [one for one in candidates if measure.low <= one <= measure.high and abs(one - than) >= 1]
        return self.dice.choice(fitting)

    def authors(self) -> tuple[str, ...]:
        """A group of people that has written nothing else, and shares nobody with the paper before."""
        before = set(self.papers[-1].authors) if self.papers else set[str]()
        while True:
            names = tuple(f"{self.dice.choice(FIRST)} {self.dice.choice(LAST)}" for _ in range(self.dice.randint(2, 4)))
            if len(set(names)) == len(names) and names not in self._used and before.isdisjoint(names):
                self._used.add(names)
                return names

    def publish(self, title: str, abstract: str, body: str, authors: tuple[str, ...] = ()) -> Paper:
        """Put a paper into the world. Its id belongs to January 2030, so no real paper has it."""
        number = len(self.papers) + 1
        day = f"2030-01-{self.dice.randint(2, 30):02d}"
        paper = Paper(f"3001.{number:05d}", title, authors or self.authors(), day, abstract, body)
        self.papers.append(paper)
        return paper

    def original(self, method: str, measure: Measure, value: Decimal) -> Paper:
        """The paper that introduces a method and reports the value."""
        epochs, batch = self.dice.randint(12, 90), 2 ** self.dice.randint(5, 9)
        millions = self.dice.randint(11, 890)
        abstract = (
            f"We present {method}, a method for {measure.field}. On {measure.benchmark} it is compared with what was "
            "known before, and what makes the difference is looked into."
        )
        body = (
            f"<h2>Training</h2><p>{method} has {millions} million parameters. It is trained for {epochs} epochs with "
            f"batches of {batch}.</p>"
            f"<h2>Results</h2><p>On the test part of {measure.benchmark}, {method} reaches {measure.article} "
            f"{measure.name} of {value}{measure.unit}. Without its second stage the {measure.name} is "
            f"{self.other_value(measure, value)}{measure.unit}.</p>"
            f"<h2>Limits</h2><p>All runs used {self.dice.randint(2, 9)} seeds on one machine.</p>"
        )
        return self.publish(f"{method}: a method for {measure.field}", abstract, body)

    def comparison(self, method: str, measure: Measure, value: Decimal) -> Paper:
        """A paper by others that measures the method again, in a table beside others."""
        rivals = [(name, self.value(measure)) for name in self.rivals()]
        rows = [(method, value), *rivals]
        self.dice.shuffle(rows)
        hours = self.dice.randint(3, 60)
        cells = "".join(
            f"<tr><td>{name}</td><td>{found}{measure.unit}</td><td>{self.dice.randint(8, 400)}</td></tr>"
            for name, found in rows
        )
        abstract = (
            f"Four methods for {measure.field}, {method} among them, are measured again on {measure.benchmark} under "
            "the same conditions, by a group that wrote none of them."
        )
        body = (
            f"<h2>Set-up</h2><p>Each method was run as published; a run took up to {hours} hours.</p>"
            f"<h2>Table</h2><table><tr><th>Method</th><th>{measure.benchmark} {measure.name}</th>"
            f"<th>Milliseconds</th></tr>{cells}</table>"
            f"<h2>Discussion</h2><p>The order of the methods did not change between runs.</p>"
        )
        return self.publish(f"Methods for {measure.field}, measured again with {method}", abstract, body)

    def rivals(self) -> Sequence[str]:
        """Three names for rivals; other papers may use them too."""
        return [f"{age}{self.dice.choice(TAILS).capitalize()}" for age in self.dice.sample(AGES, 3)]

    def copy(self, paper: Paper) -> Paper:
        """The same text put up a second time under another id: no source of its own."""
        copied = Paper(
            f"3001.{len(self.papers) + 1:05d}",
            paper.title,
            paper.authors,
            paper.day,
            paper.abstract,
            paper.body,
        )
        self.papers.append(copied)
        return copied


@dataclass(frozen=True)
class Claim:
    """A claim and what it deserves: supported, refuted, unknown, or `disagree`: a person has to decide."""

    text: str
    deserves: str
    why: str


def supported(world: World) -> Claim:
    """Two groups report the value that is claimed."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    world.original(method, measure, value)
    world.comparison(method, measure, value)
    return Claim(measure.claim(method, value), "supported", "both sources have it")


def refuted(world: World) -> Claim:
    """Two groups report another value than is claimed."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    world.original(method, measure, value)
    world.comparison(method, measure, value)
    return Claim(measure.claim(method, world.other_value(measure, value)), "refuted", f"both sources have {value}")


def disagreeing(world: World) -> Claim:
    """The group that made it and the group that measured it again report different values."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    other = world.other_value(measure, value)
    world.original(method, measure, value)
    world.comparison(method, measure, other)
    claimed = world.dice.choice((value, other))
    return Claim(measure.claim(method, claimed), "disagree", f"one source has {value}, the other {other}")


def alone(world: World) -> Claim:
    """Only the group that made it reports a value."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    world.original(method, measure, value)
    return Claim(measure.claim(method, value), "unknown", "there is one source")


def copied(world: World) -> Claim:
    """The second page is a copy of the first."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    world.copy(world.original(method, measure, value))
    return Claim(measure.claim(method, value), "unknown", "the second page is a copy of the first")


def by_the_same(world: World) -> Claim:
    """The group that made it has measured it again: no source of its own."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    value = world.value(measure)
    paper = world.original(method, measure, value)
    abstract = f"A year later {method} is run once more on {measure.benchmark}, and its parts are taken away in turn."
    body = (
        f"<h2>Again</h2><p>As before, {method} reaches {measure.article} {measure.name} of {value}{measure.unit} on "
        f"{measure.benchmark}.</p><h2>Parts</h2><p>Each of its stages is worth {world.dice.randint(2, 9)} points.</p>"
    )
    world.publish(f"A year with {method}", abstract, body, paper.authors)
    return Claim(measure.claim(method, value), "unknown", "both sources are by the same people")


def unheard(world: World) -> Claim:
    """Nobody has written about it."""
    method, measure = world.method(), world.dice.choice(MEASURES)
    return Claim(measure.claim(method, world.value(measure)), "unknown", "no source names it")


KINDS = ((supported, 40), (refuted, 30), (disagreeing, 12), (alone, 5), (copied, 4), (by_the_same, 5), (unheard, 4))
FORM = "Answer with one of `Verdict: supported`, `Verdict: refuted` or `Verdict: unknown`, then say why."


def made(seed: int = SEED) -> tuple[Sequence[Claim], Sequence[Paper]]:
    """All claims, well mixed, and all papers."""
    world = World(seed)
    kinds = [kind for kind, count in KINDS for _ in range(count)]
    world.dice.shuffle(kinds)
    claims = [kind(world) for kind in kinds]
    return claims, world.papers


def case(number: int, claim: Claim) -> dict[str, object]:
    """The claim as a behaviour case."""
    expect: dict[str, object]
    if claim.deserves == "disagree":
        expect = {"ending": "waiting", "tickets": [{"about": "sources disagree"}], "calls": ["factcheck.verdict"]}
    else:
        expect = {"answer": {"matches": rf"verdict:\W*{claim.deserves}"}}
        if claim.deserves == "unknown":
            expect |= {"forbidden": [{"tool": "factcheck.verdict", "ok": True}], "calls": ["arxiv.search"]}
        else:
            expect["calls"] = ["arxiv.search", "web.fetch", {"tool": "factcheck.verdict", "ok": True}]
    goal = f"Check this claim: “{claim.text}.” {FORM}"
    return {"name": f"claim {number:03d}, {claim.why}", "goal": goal, "expect": expect}


def main() -> None:
    """Write both files."""
    claims, papers = made()
    file = {
        "about": "100 claims about invented papers, made by make.py; serve.py serves the pages.",
        "team": "factcheck",
        "limits": {"steps": 20},
        "cases": [case(number, claim) for number, claim in enumerate(claims, start=1)],
    }
    text = yaml.safe_dump(file, allow_unicode=True, sort_keys=False, width=110)
    (FOLDER / "claims.yaml").write_text(text, encoding="utf-8")
    lines = (json.dumps(paper.record(), ensure_ascii=False) for paper in papers)
    (FOLDER / "pages.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(claims)} claims about {len(papers)} papers")


if __name__ == "__main__":
    main()
