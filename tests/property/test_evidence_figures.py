"""A figure that stands in the evidence is supported however it is written; one changed digit is stopped on its line."""

import string
from dataclasses import dataclass
from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrator.domain.evidence import check

LOCALES = {
    "english": (",", "."),
    "german": (".", ","),
    "french": ("\u202f", ","),
    "french, wide": ("\u00a0", ","),
    "french, typed": (" ", ","),
    "swiss": ("'", "."),
    "swiss, typographic": ("’", "."),
    "plain": ("", "."),
    "plain, comma": ("", ","),
}
SCRIPTS = ["0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९"]
SIGNS = ["-{}", "−{}", "({})", "{}-"]
CURRENCIES = ["{}", "{} EUR", "EUR {}", "€{}", "${}", "{} €", "CHF {}", "{} 元", "US${}"]

AMOUNTS = st.decimals(min_value=0, max_value=10**11, allow_nan=False, allow_infinity=False, places=2)
COUNTS = st.integers(min_value=0, max_value=10**7).map(Decimal)
VALUES = AMOUNTS | COUNTS


def written(value: Decimal, locale: str, digits: str = SCRIPTS[0]) -> str:
    """A number that is not negative in the way of a locale."""
    group, mark = LOCALES[locale]
    whole, _, fraction = f"{value:f}".partition(".")
    text = f"{int(whole):,}".replace(",", group) + (mark + fraction if fraction else "")
    return text.translate(str.maketrans(SCRIPTS[0], digits))


def held(value: Decimal, how: str) -> object:
    """A number as evidence holds it."""
    if how == "number":
        return float(value) if value != value.to_integral_value() else int(value)
    if how == "text":
        return str(value)
    return f"The sum is {written(value, how)} in all"


@given(
    value=AMOUNTS,
    negative=st.booleans(),
    locale=st.sampled_from(sorted(LOCALES)),
    script=st.sampled_from(SCRIPTS),
    sign=st.sampled_from(SIGNS),
    currency=st.sampled_from(CURRENCIES),
    how=st.sampled_from(["number", "text", *sorted(LOCALES)]),
)
def test_a_figure_of_the_evidence_is_supported_in_any_locale(
    value: Decimal, negative: bool, locale: str, script: str, sign: str, currency: str, how: str
) -> None:
    """Groups, marks, digits, signs and currencies do not matter, only the value does."""
    figure = written(value, locale, script)
    value_held = held(value, how)
    if negative and sign == "{}-":
        figure = currency.format(sign.format(figure))
    elif negative:
        figure = sign.format(currency.format(figure))
    else:
        figure = currency.format(figure)
    if negative:
        value_held = f"-{value}" if how == "text" else float(-value)
    report = f"| Sum | Source |\n|---|---|\n| {figure} | [E1.1] |\n"
    assert check(report, {"E1.1": {"sum": value_held}}) == ()


@dataclass(frozen=True)
class Line:
    """A line of a report with one figure in it, and what goes before and after."""

    before: str
    figure: str
    after: str
    value: Decimal


SHAPES = [
    ("The left side comes to ", " [E1.1]."),
    ("- Found ", " of them. [E1.1]"),
    ("| EUR | ", " | [E1.1] |"),
    ("1. A difference of ", " remains [E1.1]."),
    ("## Sum of ", " [E1.1]"),
    ("> Note: ", " in all [E1.1, E1.2]"),
    ("* **", "** in sum [E1.1]"),
]


@st.composite
def reports(draw: st.DrawFn) -> list[Line]:
    """A report in one locale."""
    locale = draw(st.sampled_from(sorted(LOCALES)))
    values = draw(st.lists(VALUES, min_size=1, max_size=12))
    lines: list[Line] = []
    for value in values:
        before, after = draw(st.sampled_from(SHAPES))
        lines.append(Line(before, written(value, locale), after, value))
    return lines


def evidence(lines: list[Line]) -> dict[str, object]:
    """Observations that hold every figure of a report."""
    return {"E1.1": {"items": [{"amount": str(line.value)} for line in lines]}, "E1.2": {"note": "nothing"}}


def text_of(lines: list[Line]) -> str:
    """The report, each line a block of its own."""
    return "\n\n".join(line.before + line.figure + line.after for line in lines)


def readings(figure: str) -> set[Decimal]:
    """Every number that a figure could be read as: with each of its marks as the decimal mark, and with none."""
    folded = "".join(char if char in string.digits else "," for char in figure)
    found = {Decimal(folded.replace(",", ""))}
    for at, char in enumerate(folded):
        if char == ",":
            whole, fraction = folded[:at].replace(",", ""), folded[at + 1 :].replace(",", "")
            found.add(Decimal(f"{whole}.{fraction}"))
    return found


@given(lines=reports())
def test_a_report_whose_figures_all_stand_in_the_evidence_passes(lines: list[Line]) -> None:
    """No fault is found where none is."""
    assert check(text_of(lines), evidence(lines)) == ()


@given(lines=reports(), data=st.data())
def test_one_changed_digit_is_stopped_on_its_line(lines: list[Line], data: st.DataObject) -> None:
    """Whichever digit of whichever figure changes, the fault stands on that line and names the figure as changed."""
    number = data.draw(st.integers(0, len(lines) - 1))
    line = lines[number]
    places = [at for at, char in enumerate(line.figure) if char in string.digits]
    at = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([one for one in string.digits if one != line.figure[at]]))
    changed = line.figure[:at] + digit + line.figure[at + 1 :]
    known = {one.value for one in lines} | {Decimal(len(lines))}
    assume(not readings(changed) & known)
    assume(not changed.lstrip("-−(").startswith("0"))  # a zero in front makes the mark a decimal one, on the whole page
    forged = [*lines[:number], Line(line.before, changed, line.after, line.value), *lines[number + 1 :]]
    faults = check(text_of(forged), evidence(lines))
    assert [fault.line for fault in faults] == [2 * number + 1]
    assert faults[0].kind == "not_found"
    assert changed in faults[0].written
    assert faults[0].citations[0] == "E1.1"


@given(lines=reports(), data=st.data())
def test_a_figure_whose_citation_is_gone_is_uncited(lines: list[Line], data: st.DataObject) -> None:
    """Without its citation a line's figure is a fault, and the sentence says which observation to cite."""
    # A heading governs what stands below it, and a paragraph the table below it.
    prose = [one for one in lines if one.before[0] not in "#|"]
    assume(prose)
    number = data.draw(st.integers(0, len(prose) - 1))
    line = prose[number]
    bare = Line(line.before, line.figure, line.after.replace("[E1.1", "").replace("]", ""), line.value)
    faults = check(text_of([*prose[:number], bare, *prose[number + 1 :]]), evidence(prose))
    assert [(fault.line, fault.kind) for fault in faults] == [(2 * number + 1, "uncited")]
    assert "[E1.1]" in faults[0].mend


@given(
    values=st.lists(AMOUNTS, min_size=2, max_size=6),
    locale=st.sampled_from(sorted(LOCALES)),
    offset=st.integers(min_value=-99, max_value=99),
)
def test_a_sum_written_out_holds_to_the_cent(values: list[Decimal], locale: str, offset: int) -> None:
    """`a + b + c = d` passes when it adds up exactly, although no observation has d, and fails by one cent."""
    total = sum(values, Decimal(0)) + Decimal(offset) / 100
    assume(total >= 0)
    terms = " + ".join(written(value, locale) for value in values)
    faults = check(f"{terms} = {written(total, locale)} [E1.1]", {"E1.1": [str(value) for value in values]})
    expected = [] if offset == 0 else ["wrong_sum"]
    assert [fault.kind for fault in faults] == expected


@given(values=st.lists(AMOUNTS, min_size=1, max_size=8), offset=st.sampled_from([0, 0, 1, -1, 100, 90000]))
def test_a_total_row_adds_up_to_the_cent(values: list[Decimal], offset: int) -> None:
    """A table's total is the sum of its rows, or the fault stands on the total's line."""
    total = sum(values, Decimal(0)) + Decimal(offset) / 100
    assume(total >= 0)
    rows = [f"| x | {written(value, 'english')} | [E1.1] |" for value in values]
    table = [
        "| What | Amount | Source |",
        "|---|---:|---|",
        *rows,
        f"| **Total** | {written(total, 'english')} | [E1.1] |",
    ]
    faults = check("\n".join(table), {"E1.1": [str(value) for value in values]})
    assert [(fault.line, fault.kind) for fault in faults] == ([] if not offset else [(len(table), "wrong_sum")])


@given(text=st.text(max_size=400))
def test_no_text_breaks_the_check(text: str) -> None:
    """Whatever a model writes, the check ends with faults and not with an error."""
    faults = check(text, {"E1.1": {"text": text}})
    assert all(1 <= fault.line <= text.count("\n") + 1 for fault in faults)


@given(pieces=st.lists(st.sampled_from(list("0123456789.,'()-−+/*=%$€ |#>\n[]{}E\"“”:")), max_size=120))
def test_no_heap_of_digits_and_signs_breaks_the_check(pieces: list[str]) -> None:
    """Nor does what looks like figures, tables, quotes and citations but is none."""
    text = "".join(pieces)
    faults = check(text, {"E1.1": {"text": text}, "E2.1": [1, 2.5, "3"]})
    assert all(str(fault).startswith(f"Line {fault.line}: ") for fault in faults)
