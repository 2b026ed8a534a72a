"""The account of one data set: what was granted, spent and is left, exactly.

Costs are composed first and priced then, in the currency that was granted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from geomdp.errors import BudgetError, BudgetSpentError, LedgerError
from geomdp.ledger.entries import Entry
from geomdp.ledger.filters import admits, priced
from geomdp.privacy import Budget, Cost, Unit

#: What became of a debit. All three are spent.
State: TypeAlias = Literal["unpublished", "published", "abandoned"]

#: Share of a budget beyond which the account warns.
MOST_GONE = Fraction(4, 5)


@dataclass(frozen=True)
class Spending:
    """A debit, and what became of it.

    Attributes
    ----------
    entry
        The debit.
    state
        ``"unpublished"`` until it is completed or abandoned.
    content
        Hash of the release that was published.
    """

    entry: Entry
    state: State = "unpublished"
    content: str | None = None


@dataclass(frozen=True)
class Account:
    """What a data set has been granted, and what was spent of it.

    Examples
    --------
    >>> from geomdp.privacy import Pure, PureCost
    >>> account = Account("study", Pure(1), ())
    >>> account.require(PureCost(2))
    Traceback (most recent call last):
    geomdp.errors.BudgetSpentError: Not enough is left for 'study': requested ε = 2, pure; \
remaining ε = 1, pure; difference ε = 1, pure. Nothing was charged or drawn; plan with less, \
or have more granted.
    """

    dataset: str
    granted: Budget
    spendings: tuple[Spending, ...]

    @property
    def costs(self) -> tuple[Cost, ...]:
        """Everything spent, in the order in which it was."""
        return tuple(spending.entry.cost for spending in self.spendings)

    @property
    def spent(self) -> Budget:
        """Everything spent, in the currency that was granted; at the granted delta, if any."""
        return priced(self.granted, self.costs)

    @property
    def remaining(self) -> Budget:
        """What is left in the currency that was granted; at the granted delta, if any."""
        return _less(self.granted, self.spent)

    @property
    def share_gone(self) -> Fraction:
        """Share of the grant that is spent, in the parts that add up (of a mu: its square)."""
        return self.spent.parts[0] / self.granted.parts[0]

    @property
    def warning(self) -> str:
        """Say that most of the budget is gone; empty while it is not."""
        if self.share_gone <= MOST_GONE:
            return ""
        return (
            f"more than {float(MOST_GONE):.0%} of the budget of {self.dataset!r} is gone "
            f"({float(self.share_gone):.3g} of 1): decide what the rest is for, or have more "
            "granted"
        )

    @property
    def unpublished(self) -> tuple[int, ...]:
        """Numbers of the debits that nobody has completed or abandoned."""
        return tuple(s.entry.number for s in self.spendings if s.state == "unpublished")

    def require(self, cost: Cost) -> None:
        """Refuse a cost that is not covered by what is left."""
        if admits(self.granted, (*self.costs, cost)):
            return
        raise BudgetSpentError(
            f"Not enough is left for {self.dataset!r}: {self._shortfall(cost)}. Nothing was "
            "charged or drawn; plan with less, or have more granted."
        )

    def require_unit(self, unit: Unit) -> None:
        """Refuse a promise to somebody smaller than those that all earlier releases protect.

        The account's promise is the weakest in it, which later plans may exceed and not undercut
        (docs/theory/ledger.md, "Units").
        """
        units = [spending.entry.unit for spending in self.spendings]
        if not units:
            return
        least = min(units, key=_replaced)
        if _replaced(unit) < _replaced(least):
            raise LedgerError(
                f"What was spent on {self.dataset!r} is a promise about this: {least}. This plan "
                f"promises less: {unit}. Plan with a unit that covers the first "
                f"({_asked(least)}), or charge a data set of its own."
            )
        labelled = [_hidden(one) for one in units if one.labels != "none"]
        if labelled and unit.labels != "none" and not set.intersection(*labelled) <= _hidden(unit):
            raise LedgerError(
                f"The labels of {self.dataset!r} are protected by earlier releases, and this plan "
                "does not protect them so; plan with private labels (--private-labels), and a "
                "maximum of records a person where those had one."
            )

    def _shortfall(self, cost: Cost) -> str:
        try:
            after = priced(self.granted, (*self.costs, cost))
        except BudgetError:
            return (
                f"requested {cost.words()}; remaining {self.remaining.words()}; and the "
                "difference has no number, since the request has no price in "
                f"{type(self.granted).__name__}"
            )
        requested, difference = _less(after, self.spent), _less(after, self.granted)
        return (
            f"requested {requested.words()}; remaining {self.remaining.words()}; "
            f"difference {difference.words()}"
        )


def accounts_of(entries: Iterable[Entry]) -> dict[str, Account]:
    """Return the accounts of all data sets by name.

    >>> accounts_of([])
    {}
    """
    grants: dict[str, Budget] = {}
    debits: dict[str, dict[int, Spending]] = {}
    owner: dict[int, str] = {}
    for entry in entries:
        if entry.dataset is not None and entry.kind == "grant":
            held = grants.get(entry.dataset)
            grants[entry.dataset] = entry.budget if held is None else held + entry.budget
        elif entry.dataset is not None and entry.kind == "debit":
            owner[entry.number] = entry.dataset
            debits.setdefault(entry.dataset, {})[entry.number] = Spending(entry)
        elif entry.about is not None and entry.kind in ("published", "abandoned"):
            spendings = debits[owner[entry.about]]
            done: State = "published" if entry.kind == "published" else "abandoned"
            debit = spendings[entry.about].entry
            spendings[entry.about] = Spending(debit, done, entry.body.get("content"))
    return {
        name: Account(name, granted, tuple(debits.get(name, {}).values()))
        for name, granted in grants.items()
    }


def find_account(accounts: Mapping[str, Account], dataset: str) -> Account:
    """Return the account of a data set, or name those that there are."""
    if dataset not in accounts:
        known = ", ".join(map(repr, accounts)) or "none so far"
        raise LedgerError(
            f"Nothing was granted to the data set {dataset!r} (known: {known}); grant a budget "
            "first: geomdp ledger grant."
        )
    return accounts[dataset]


def find_spending(accounts: Mapping[str, Account], number: int) -> Spending:
    """Return the debit of a number."""
    spendings: Sequence[Spending] = [s for a in accounts.values() for s in a.spendings]
    for spending in spendings:
        if spending.entry.number == number:
            return spending
    raise LedgerError(f"Entry {number} is no debit; see geomdp ledger history.")


def _less(most: Budget, taken: Budget) -> Budget:
    """Return the difference, nothing below zero; of approximate budgets at one delta."""
    left = [max(a - b, Fraction(0)) for a, b in zip(most.parts, taken.parts, strict=True)]
    if most.has_delta:
        left[1] = most.parts[1]
    return most.from_parts(*left)


def _replaced(unit: Unit) -> tuple[int, int]:
    """How much neighbours replace, so that the larger has all neighbours of the smaller."""
    if unit.of == "record":
        return 0, 1
    return (2, 0) if unit.max_records is None else (1, unit.max_records)


def _asked(unit: Unit) -> str:
    """Say how a unit is asked for."""
    if unit.max_records is None:
        return "Unit.person(), --unit person"
    return f"Unit.person(max_records={unit.max_records}), --max-per-person {unit.max_records}"


def _hidden(unit: Unit) -> set[str]:
    """Name what of labels is protected: records change places, or a person leaves a group."""
    if unit.moves:
        return {"leaving"}
    return {"places"} if unit.labels == "private" else set()
