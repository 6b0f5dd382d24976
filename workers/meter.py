"""The meter of a turn: sets aside the worst that its next call may cost, and remembers what that call really took."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from orchestrator.domain.budget import Amounts, Kind, Refusal, Tariff, picodollars
from orchestrator.domain.budget_words import no_price
from orchestrator.domain.budget_words import price as price_words
from orchestrator.domain.changes import Change, Reserve, SettleReservation
from orchestrator.engine.services.claims import Claim
from orchestrator.errors import StoreError
from orchestrator.ports.store import Store
from workers.errors import LimitReachedError

log = logging.getLogger(__name__)

PriceOf = Callable[[str, int, int], str | None]
"""Dollars of a call, as a text: model, tokens of input and output; None where nobody knows."""

STEP_MILLISECONDS = 2000
"""Set aside for a step: nobody knows its time beforehand, so a limit of time is exceeded by the steps in flight."""
BYTES_A_TOKEN = 2
"""At least: English has four, JSON and Chinese hardly ever less than two."""
MORE_INPUT = 2000
"""Tokens that the results of a call may add to what the next one sends: long ones are shown shortened."""
PAUSES = (0.05, 0.2, 1.0, 3.0)
"""Seconds between tries to reach the database."""


class TurnMeter:
    """Sets aside for one claim, which is counted in a budget.

    `most_output`: the tokens that a reply may have; None: calls take no tokens, a playbook answers.
    """

    def __init__(self, claim: Claim, tariff: Tariff, store: Store, price: PriceOf, most_output: int | None) -> None:
        self._claim = claim
        self._tariff = tariff
        self._store = store
        self._price = price
        self._most_output = most_output
        standing = store.standing(claim.run.id)
        self._counts_money = any(one.kind is Kind.MONEY for one in standing)
        self._ends_at_limit = all(one.on_limit == "stop" for one in standing)
        self._last: tuple[int, int] | None = None
        self._need = Amounts()
        self._keep = Amounts()
        self._basis = ""
        self._step = 0
        self._is_set_aside = False

    def set_aside(self, model: str, step: int, size: int, *, last: bool = True) -> None:
        """Set aside for the call that step `step` begins with, which sends `size` bytes. Raises LimitReachedError.

        Where a limit ends the run, a call that is not the `last` leaves enough for one more: for the agent's answer.
        """
        self._step = step
        self._need = replace(self._worst(model, self._most_input(size)), time=STEP_MILLISECONDS)
        self._keep = Amounts()
        if self._ends_at_limit and not last:
            more = MORE_INPUT + (self._most_output or 0)
            self._keep = self._worst(model, self._most_input(size) + more)
        self._reserve()

    def _worst(self, model: str, tokens: int) -> Amounts:
        """The worst that a call with so many tokens of input may cost."""
        if self._most_output is None:
            return Amounts(steps=1)
        money = self._most_money(model, tokens, self._most_output) if self._counts_money else 0
        return Amounts(money=money, steps=1, tokens=tokens + self._most_output)

    def once_more(self) -> None:
        """Set aside for another try at the same call, if the one before has used it up. Raises LimitReachedError."""
        if not self._is_set_aside:
            self._reserve()

    def lost(self) -> None:
        """A try ended without its reply: it may have been paid for."""
        if self._is_set_aside:
            self._is_set_aside = False
            self._apply(SettleReservation(self._claim.subtask.id))

    def took(self, size: int, input_tokens: int) -> None:
        """A call that sent `size` bytes had so many tokens of input: the next one sends the same and more."""
        self._last = (size, input_tokens)

    def _most_input(self, size: int) -> int:
        if self._last is None or not self._last[1]:
            return size // BYTES_A_TOKEN + 1
        sent, tokens = self._last
        return tokens + max(0, size - sent) // BYTES_A_TOKEN + 1

    def _most_money(self, model: str, tokens: int, output: int) -> int:
        dollars = self._price(model, tokens, output)
        self._basis = "" if dollars is not None else no_price([model], price_words(self._tariff))
        return self._tariff.of(tokens, output) if dollars is None else picodollars(Decimal(dollars))

    def _reserve(self) -> None:
        change = Reserve(self._claim.run.id, self._claim.subtask.id, self._need, self._keep)
        refusal = self._apply(change)
        if refusal is not None:
            raise LimitReachedError(replace(refusal, basis=self._basis if refusal.kind is Kind.MONEY else ""))
        self._is_set_aside = True

    def _apply(self, change: Change) -> Refusal | None:
        fence = self._claim.fence(self._step - 1)
        for pause in PAUSES:
            try:
                return self._store.apply([change], fence).refusal
            except StoreError as error:
                log.warning("%s: the ledger is written in a moment: %s", self._claim.subtask.id, error)
            time.sleep(pause)
        return self._store.apply([change], fence).refusal
