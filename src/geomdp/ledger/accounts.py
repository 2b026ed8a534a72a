"""Accounts: what data sets were granted and have spent, what that covers, how they are named."""

import unicodedata
from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, Self, TypeAlias, TypeVar

from geomdp.errors import BudgetError, BudgetSpentError, LedgerError
from geomdp.ledger.chain import Entry
from geomdp.privacy import (
    GDP,
    ZCDP,
    Approximate,
    Budget,
    Cost,
    Unit,
    budget_from_json,
    convert,
    cost_from_json,
    implies,
    total,
)
from geomdp.serial import Document

#: What became of a debit. All three are spent.
State: TypeAlias = Literal["unpublished", "published", "abandoned"]

#: An account, or the balance of one.
Kept = TypeVar("Kept", bound="Standing")
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


class Standing(ABC):
    """What is left for a data set, and what that covers; of an account, or of its sums alone.

    ``costs`` are what was spent, in order, where those after the first may be added up; ``units``
    whom the releases protect, each once or more often; ``unpublished`` the numbers of the debits
    that nobody has completed or abandoned.
    """

    dataset: str
    granted: Budget
    costs: tuple[Cost, ...]
    units: tuple[Unit, ...]
    unpublished: tuple[int, ...]

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
        if not self.units:
            return
        least = min(self.units, key=_replaced)
        if _replaced(unit) < _replaced(least):
            raise LedgerError(
                f"What was spent on {self.dataset!r} is a promise about this: {least}. This plan "
                f"promises less: {unit}. Plan with a unit that covers the first "
                f"({_asked(least)}), or charge a data set of its own."
            )
        labelled = [_hidden(one) for one in self.units if one.labels != "none"]
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


@dataclass(frozen=True)
class Account(Standing):
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
    def costs(self) -> tuple[Cost, ...]:  # type: ignore[override]
        """Everything spent, in the order in which it was."""
        return tuple(spending.entry.cost for spending in self.spendings)

    @property
    def units(self) -> tuple[Unit, ...]:  # type: ignore[override]
        """To whom each debited release makes its promise."""
        return tuple(spending.entry.unit for spending in self.spendings)

    @property
    def unpublished(self) -> tuple[int, ...]:  # type: ignore[override]
        """Numbers of the debits that nobody has completed or abandoned."""
        return tuple(s.entry.number for s in self.spendings if s.state == "unpublished")


@dataclass(frozen=True)
class Balance(Standing):
    """The sums of an account: they answer what a release asks, however many entries there are.

    ``costs`` holds the first, and all others added up; each unit stands once.
    """

    dataset: str
    granted: Budget
    costs: tuple[Cost, ...] = ()
    units: tuple[Unit, ...] = ()
    unpublished: tuple[int, ...] = ()

    def to_json(self) -> Document:
        """Describe exactly."""
        return {
            "dataset": self.dataset,
            "granted": self.granted.to_json(),
            "costs": [cost.to_json() for cost in self.costs],
            "units": [unit.to_json() for unit in self.units],
            "unpublished": list(self.unpublished),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(
            document["dataset"],
            budget_from_json(document["granted"]),
            tuple(map(cost_from_json, document["costs"])),
            tuple(map(Unit.from_json, document["units"])),
            tuple(document["unpublished"]),
        )


def balances_of(
    entries: Iterable[Entry], before: Mapping[str, Balance] = MappingProxyType({})
) -> dict[str, Balance]:
    """Return the balances of all data sets by name, from those before and the entries since."""
    grants = {name: balance.granted for name, balance in before.items()}
    costs = {name: [*balance.costs] for name, balance in before.items()}
    units = {name: dict.fromkeys(balance.units) for name, balance in before.items()}
    owner = {number: name for name, one in before.items() for number in one.unpublished}
    for entry in entries:
        if (name := entry.granted_to) is not None:
            grants[name] = grants[name] + entry.budget if name in grants else entry.budget
        elif (name := entry.debited_from) is not None:
            costs.setdefault(name, []).append(entry.cost)
            units.setdefault(name, {})[entry.unit] = None
            owner[entry.number] = name
        elif entry.about is not None:
            owner.pop(entry.about, None)
    unpublished: dict[str, list[int]] = {}
    for number, name in owner.items():
        unpublished.setdefault(name, []).append(number)
    return {
        name: Balance(
            name,
            granted,
            _summed(costs.get(name, [])),
            tuple(units.get(name, {})),
            tuple(sorted(unpublished.get(name, []))),
        )
        for name, granted in grants.items()
    }


def _summed(costs: Sequence[Cost]) -> tuple[Cost, ...]:
    """Return the first, by which a curve is chosen, and the sum of all others."""
    return tuple(costs) if len(costs) < 2 else (costs[0], total(costs[1:]))


def accounts_of(entries: Iterable[Entry]) -> dict[str, Account]:
    """Return the accounts of all data sets by name."""
    grants: dict[str, Budget] = {}
    debits: dict[str, dict[int, Spending]] = {}
    owner: dict[int, str] = {}
    for entry in entries:
        if (name := entry.granted_to) is not None:
            held = grants.get(name)
            grants[name] = entry.budget if held is None else held + entry.budget
        elif (name := entry.debited_from) is not None:
            owner[entry.number] = name
            debits.setdefault(name, {})[entry.number] = Spending(entry)
        elif entry.about is not None and entry.outcome is not None:
            spendings = debits[owner[entry.about]]
            debit = spendings[entry.about].entry
            spendings[entry.about] = Spending(debit, entry.outcome, entry.body.get("content"))
    return {
        name: Account(name, granted, tuple(debits.get(name, {}).values()))
        for name, granted in grants.items()
    }


def find_account(accounts: Mapping[str, Kept], dataset: str) -> Kept:
    """Return the account or balance of a data set, or name those that there are."""
    if dataset not in accounts:
        known = ", ".join(map(repr, accounts)) or "none so far"
        raise LedgerError(
            f"Nothing was granted to the data set {dataset!r} (known: {known}); grant a budget "
            "first: geomdp ledger grant."
        )
    return accounts[dataset]


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


# --- What a budget covers when each plan may be chosen by looking at the releases before it.
#
# A sum of costs that were fixed in advance may be priced by whichever road is shortest. Here the
# costs themselves may hang on earlier releases, and so must not the road: docs/theory/ledger.md.


#: Where curves are compared: not at the granted delta, which a later grant may change.
_USUAL_DELTA = Fraction(1, 10**6)


def admits(granted: Budget, costs: Sequence[Cost]) -> bool:
    """Tell whether a budget covers costs in the order in which they were chosen."""
    spent = total(costs)
    if not granted.has_delta or len(costs) < 2:
        return spent.fits(granted)
    loss, (epsilon, delta) = spent.largest_loss(), granted.parts
    bounded = loss is not None and loss <= epsilon
    if costs[0].failure():
        return bounded and spent.failure() <= delta
    return not spent.failure() and (bounded or implies(_curve(costs), granted))


def priced(granted: Budget, costs: Sequence[Cost]) -> Budget:
    """Return what was spent in the currency that was granted; at the granted delta, if any.

    Raises ``BudgetError`` where the costs have no price in that currency.
    """
    spent = total(costs)
    if not granted.has_delta:
        return spent.price(type(granted))
    delta = granted.parts[1]
    if len(costs) < 2:
        return spent.price(Approximate, delta=delta)
    epsilons = [] if spent.largest_loss() is None else [spent.largest_loss() or Fraction(0)]
    if not spent.failure():
        epsilons.append(convert(_curve(costs), Approximate, delta).parts[0])
    elif not costs[0].failure() or spent.failure() > delta:
        epsilons = []  # a delta that comes later finds the granted one promised already
    if not epsilons:
        raise BudgetError("These costs have no price at the granted delta.")
    return Approximate.from_parts(min(epsilons), delta)


def _curve(costs: Sequence[Cost]) -> GDP | ZCDP:
    """Return all costs on the curve that is shorter for the first, which no release preceded."""
    first, spent = costs[0], total(costs)
    by_mu = convert(first.price(GDP), Approximate, _USUAL_DELTA).parts[0]
    by_rho = convert(first.price(ZCDP), Approximate, _USUAL_DELTA).parts[0]
    return spent.price(GDP) if by_mu <= by_rho else spent.price(ZCDP)


# --- Names of data sets that look alike: a second budget for the same people under a twin name.


#: Letters of other alphabets, and digits, each with the small Latin letter that it looks like.
_CYRILLIC = "аa вb сc ԁd еe һh іi јj кk ӏl мm пn оo рp ԛq гr ѕs тt уy ѵv ԝw хx ӡz"
_GREEK = "αa βb γy εe ζz ηn ιi κk νv οo ρp τt υu χx ωw"
_OTHERS = "ıi ɑa ɡg ɩi ʟl ոn սu օo 0o 1l |l"
_LOOKS_LIKE = str.maketrans(
    {pair[0]: pair[1] for text in (_CYRILLIC, _GREEK, _OTHERS) for pair in text.split()}
)


def skeleton(name: str) -> str:
    """Return what a reader sees of a name: without case, width, alphabet and number of spaces."""
    text = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS_LIKE)
    return " ".join(unicodedata.normalize("NFKC", text).split())


def require_name(name: str, known: Iterable[str]) -> None:
    """Refuse a new name that cannot be printed, or that a reader takes for one that is known."""
    if not name.strip() or not name.isprintable():
        raise LedgerError("A data set needs a name of printable characters.")
    names = tuple(known)
    if name in names:
        return
    for other in names:
        if skeleton(other) == skeleton(name):
            raise LedgerError(
                f"{name!a} looks like the data set {other!r}; write that name, or choose one "
                "that nobody takes for it."
            )
