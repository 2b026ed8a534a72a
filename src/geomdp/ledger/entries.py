"""Entries as people and programs read them: who did what, when, and for what."""

import getpass
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, TypeAlias

from geomdp.ledger.chain import Row
from geomdp.privacy import Budget, Cost, Unit, budget_from_json, cost_from_json

#: What an entry records. Money never comes back: there is no refund.
Kind: TypeAlias = Literal["init", "grant", "debit", "published", "abandoned"]


@dataclass(frozen=True)
class Entry:
    """One entry of a ledger.

    Attributes
    ----------
    number
        Its place.
    link
        The head of the chain when it was the last.
    body
        What is chained, as a JSON object.
    """

    number: int
    link: str
    body: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of(cls, row: Row) -> "Entry":
        """Read a row whose chain was checked."""
        return cls(row.number, row.link, json.loads(row.body))

    @property
    def kind(self) -> Kind:
        """What happened."""
        kind: Kind = self.body["kind"]
        return kind

    @property
    def at(self) -> str:
        """When, in UTC."""
        return str(self.body["at"])

    @property
    def by(self) -> str:
        """Who: the name on the machine, and the database's role where it has one."""
        return str(self.body["by"])

    @property
    def dataset(self) -> str | None:
        """Name of the data set, where it is about one."""
        return self.body.get("dataset")

    @property
    def about(self) -> int | None:
        """Number of the debit that was published or abandoned."""
        return self.body.get("entry")

    @cached_property
    def budget(self) -> Budget:
        """What was granted."""
        return budget_from_json(self.body["budget"])

    @cached_property
    def cost(self) -> Cost:
        """What was spent."""
        return cost_from_json(self.body["cost"])

    @cached_property
    def unit(self) -> Unit:
        """To whom the debited release makes its promise."""
        return Unit.from_json(self.body["unit"])


def signed_now(role: str | None) -> dict[str, str]:
    """Say who writes now, and when.

    >>> sorted(signed_now("curator"))
    ['at', 'by']
    """
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container without a list of users
        user = "unknown"
    by = user if role is None else f"{user} as {role}"
    return {"at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "by": by}
