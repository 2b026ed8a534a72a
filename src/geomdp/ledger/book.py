"""The ledger: open it, grant, debit, complete, check. Every change is one added entry."""

import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from geomdp.errors import AlreadyReleasedError, LedgerError
from geomdp.ledger.accounts import Account, Balance, Spending, find_account, require_name
from geomdp.ledger.chain import Entry, commitment_of
from geomdp.ledger.checked import Checked
from geomdp.ledger.engines import shown
from geomdp.ledger.keys import Key
from geomdp.ledger.paying import Paying
from geomdp.ledger.receipts import Receipt, fingerprint, folder_hash, plan_hash, receipt_problem
from geomdp.ledger.store import create_store, open_store
from geomdp.plans.base import Plan
from geomdp.plans.loading import read_content
from geomdp.plans.release import Prepared
from geomdp.privacy import Budget


class Ledger:
    """What has been spent on data sets: durable, shared between people, tamper-evident.

    Parameters
    ----------
    where
        Path of an SQLite file, or the URL of a PostgreSQL database; made by :meth:`create`.
    key
        File of the key; where :meth:`create` put it, if left out.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> folder = Path(tempfile.mkdtemp())
    >>> ledger = dp.Ledger.create(folder / "study.db", key=folder / "study.key")
    >>> ledger.grant("study", dp.Pure(1.5))
    >>> ball = dp.Ball(dp.Euclidean(1), center=np.zeros(1), radius=1.0)
    >>> plan = dp.plan(dp.FrechetMean(ball), n=3, budget=dp.Pure(1), mechanism="laplace")
    >>> release = plan.release(np.zeros((3, 1)), ledger=ledger, dataset="study")
    >>> ledger.account("study").remaining
    Pure(epsilon=0.5)
    >>> ledger.problems()
    []
    """

    def __init__(self, where: str | Path, key: str | Path | None = None) -> None:
        self._store = open_store(where, key)

    @classmethod
    def create(cls, where: str | Path, key: str | Path | None = None) -> Self:
        """Make a ledger and its key.

        Parameters
        ----------
        where
            Path or URL, as above; the database of a URL exists already.
        key
            File for the key: an existing one is used, a new one is readable by its owner only.
        """
        create_store(where, key)
        return cls(where, key)

    @property
    def where(self) -> str:
        """Path or URL, without a password."""
        return shown(self._store.engine.url)

    @property
    def name(self) -> str:
        """The ledger's random name, by which its key is found."""
        return self._store.name

    @property
    def key(self) -> Key:
        """The key, with the file it lies in."""
        return self._store.key

    @property
    def known_heads(self) -> int:
        """How many heads were known here when the ledger was opened.

        With none a ledger that was cut back looks like a shorter one. Every head that is read or
        written is kept beside the key, and the next to open the ledger here knows it.
        """
        return self._store.known_heads

    def grant(self, dataset: str, budget: Budget) -> None:
        """Grant a budget to a data set; grants of one kind add up."""

        def write(found: Checked) -> tuple[Mapping[str, Any], None]:
            require_name(dataset, found.balances)
            held = found.balances.get(dataset)
            if held is not None and type(held.granted) is not type(budget):
                raise LedgerError(
                    f"{dataset!r} was granted {held.granted.words()}; a further grant must be of "
                    f"that kind, not {budget.words()}."
                )
            return {"kind": "grant", "dataset": dataset, "budget": budget.to_json()}, None

        budget.spendable()
        self._store.append(write)

    def pay(
        self, prepared: Prepared, plan: Plan, records: Any, dataset: str | None, again: bool = False
    ) -> Prepared:
        """Return a release that debits before it draws, and is marked as published after.

        Parameters
        ----------
        prepared
            ``plan.prepare(records)``: everything that can fail has been tried.
        plan, records
            What it was made from.
        dataset
            Name that a budget was granted to.
        again
            Charge for the same plan and records a second time.

        Raises
        ------
        MechanismRefusedError
            For a comparison, whose promise is not proved.
        """
        if dataset is None:
            raise LedgerError("Say which data set of the ledger pays (dataset=..., --dataset).")
        _ = plan.cost  # refuses a comparison before the records are hashed
        if plan_hash(prepared.stated) != plan_hash(plan.to_json()):
            raise LedgerError(
                "This is another plan than the one that was prepared: pay for what is drawn."
            )
        points = records if plan.statistic.needs_n else [records]
        found = fingerprint(self.key, points)
        debit = partial(self.debit, plan, dataset, found, again)
        return Paying(prepared, debit, self.publish)

    def debit(self, plan: Plan, dataset: str, found: str, again: bool = False) -> Receipt:
        """Charge for one release of a plan, and record that it is about to happen.

        Parameters
        ----------
        plan
            What will be released; all its groups or stages at once.
        dataset
            Who pays.
        found
            Fingerprint of the records.
        again
            Charge for the same plan and records a second time.

        Raises
        ------
        BudgetSpentError
            If not enough is left: requested, remaining, difference.
        AlreadyReleasedError
            If the same plan was charged for the same records before.
        """
        cost, unit, hashed = plan.cost, plan.unit, plan_hash(plan.to_json())
        pad = secrets.token_hex(32)

        def write(so_far: Checked) -> tuple[Mapping[str, Any], tuple[str, str]]:
            balance = find_account(so_far.balances, dataset)
            _require_new(so_far, found, dataset, None if again else hashed)
            if plan.claim and not again:
                _require_unclaimed(so_far, plan.claim)
            balance.require_unit(unit)
            balance.require(cost)
            document = {
                "kind": "debit",
                "dataset": dataset,
                "for": f"{plan.statistic.describe()}, n = {plan.n}, {plan.describe_mechanism()}",
                "plan": hashed,
                "unit": unit.to_json(),
                "cost": cost.to_json(),
                **plan.claim,
                "commitment": commitment_of(found, pad),
            }
            return document, (found, pad)

        entry = Entry.of(self._store.append(write))
        return Receipt(entry.number, entry.link, entry.body["commitment"])

    def publish(self, number: int, content: str) -> None:
        """Record that the release of a debit was handed out, by the hash of its content."""
        self._resolve(number, {"kind": "published", "content": content})

    def attach(self, number: int, folder: str | Path) -> None:
        """Complete a debit with a release that was written already; nothing is drawn again.

        Raises
        ------
        LedgerError
            If the folder does not hold the release of that debit.
        """
        path = Path(folder)
        manifest, _ = read_content(path)
        spending = self.spending(number)
        wrong = receipt_problem(spending.entry, manifest)
        if wrong:
            raise LedgerError(f"{str(folder)!r} is not the release of entry {number}: {wrong}.")
        self.publish(number, folder_hash(path))

    def abandon(self, number: int) -> None:
        """Record that a debit will never be published. It stays spent."""
        self._resolve(number, {"kind": "abandoned"})

    def accounts(self) -> dict[str, Account]:
        """Return the accounts of all data sets by name."""
        return dict(self._store.read().accounts)

    def account(self, dataset: str) -> Account:
        """Return the account of one data set."""
        return find_account(self.accounts(), dataset)

    def balance(self, dataset: str) -> Balance:
        """Return the sums of one account: at the cost of a short ledger, however long it is.

        Entries that this process has read before are not read again; paying reads all.
        """
        return find_account(self._store.read(whole=False).balances, dataset)

    def spending(self, number: int) -> Spending:
        """Return the debit of a number, and what became of it."""
        return self._store.read().spending(number)

    def history(self) -> tuple[Entry, ...]:
        """Return all entries, of a ledger that is intact."""
        return self._store.read().entries

    def length(self) -> int:
        """Return how many entries there are, without looking at them."""
        return self._store.length()

    def problems(self) -> list[str]:
        """Return what was altered, deleted, moved or added; empty if nothing was."""
        return self._store.problems()

    def _resolve(self, number: int, document: Mapping[str, Any]) -> None:
        def write(found: Checked) -> tuple[Mapping[str, Any], None]:
            state = found.spending(number).state
            if state != "unpublished":
                raise LedgerError(f"Entry {number} is {state} already, and stays so.")
            return {**document, "entry": number}, None

        # Nothing is spent here, so that no entry is read that was read for the debit.
        self._store.append(write, whole=False)


def _require_unclaimed(so_far: Checked, claim: Mapping[str, Any]) -> None:
    """Refuse a step of a plan over time that was charged before, whatever the records were."""
    for entry in so_far.saying(claim):
        raise AlreadyReleasedError(
            f"This step of the plan was charged before: entry {entry.number}, {entry.at}, by "
            f"{entry.by}. Nothing was charged or drawn; use that release, or pay for a second "
            "draw, at the price of a whole release, with again=True (--again)."
        )


def _require_new(so_far: Checked, found: str, dataset: str, hashed: str | None) -> None:
    """Refuse records that are known by another name, and a plan that was charged for them."""
    for entry in so_far.of_records(found):
        if entry.dataset != dataset:
            raise LedgerError(
                f"These records are the data set {entry.dataset!r} (entry {entry.number}): one set "
                f"of records has one budget, so that {dataset!r} cannot pay for them."
            )
        if entry.body["plan"] == hashed:
            raise AlreadyReleasedError(
                f"The same plan was charged for the same records before: entry {entry.number}, "
                f"{entry.at}, by {entry.by}. Nothing was charged or drawn; use that release, or "
                "pay a second time with again=True (--again)."
            )
