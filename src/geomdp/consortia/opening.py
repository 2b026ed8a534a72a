"""From the aggregators' signed totals to a release, and back: whether a value follows from them."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.consortia.messages import TOTAL, Round, parsed, read_message, require_signed
from geomdp.consortia.site_noise import MANY
from geomdp.errors import GeomdpError
from geomdp.plans.base import first_manifest
from geomdp.plans.release import Release
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, array_to_json, digest_of

if TYPE_CHECKING:
    from geomdp.consortia.plan import ConsortiumPlan

#: Field of a manifest that holds the totals and who is in them.
OPENED = "consortium"


def total_body(
    of: Round, aggregator: str, roster: Sequence[str], messages: str, total: str
) -> Document:
    """Return what an aggregator signs when it publishes."""
    parties = {"aggregator": aggregator, "roster": list(roster), "messages": messages}
    return {**of.to_json(), **parties, "total": total}


@dataclass(frozen=True)
class Opened:
    """What the aggregators published: everything that a value follows from.

    ``stage``: of the plan. ``roster``: the sites in the totals, in order. ``messages``: hash of the
    messages that were counted, one a site. ``totals``: total and signature of each aggregator, by
    name.
    """

    stage: int
    roster: tuple[str, ...]
    messages: str
    totals: Mapping[str, tuple[str, str]]

    @classmethod
    def from_json(cls, document: Any) -> "Opened":
        """Read it from a manifest."""
        stated = document["totals"].items()
        totals = {name: (one["total"], one["signature"]) for name, one in stated}
        return cls(document["stage"], tuple(document["roster"]), document["messages"], totals)

    def to_json(self) -> Document:
        """Return the field of the manifest."""
        totals = {
            name: {"total": total, "signature": signature}
            for name, (total, signature) in self.totals.items()
        }
        parties = {"roster": list(self.roster), "messages": self.messages}
        return {"stage": self.stage, **parties, "totals": totals}

    @property
    def digest(self) -> str:
        """SHA-256 of what was opened, whoever signed it: what later stages are bound to."""
        told = self.to_json()
        return digest_of({**told, "totals": {name: one for name, (one, _) in self.totals.items()}})

    @property
    def shares(self) -> list[bytes]:
        """The totals as bytes."""
        try:
            return [base64.b64decode(one, validate=True) for one, _ in self.totals.values()]
        except (TypeError, ValueError, binascii.Error) as error:
            raise GeomdpError("A total is damaged: take it from its aggregator again.") from error

    def integers(self, plan: "ConsortiumPlan") -> list[int]:
        """Return the opened sums, once it is certain that they are this plan's.

        Raises ``GeomdpError`` if an aggregator's is missing or not signed by it, the roster is
        short or not the plan's, or the opened number cannot be.
        """
        holders = {name: key.verify for name, key in plan.aggregators.items()}
        if self.totals.keys() != holders.keys():
            raise GeomdpError(
                f"Totals of {', '.join(holders)} are needed, and there are those of "
                f"{', '.join(self.totals) or 'nobody'}: ask whoever is missing for theirs."
            )
        for name, (total, signature) in self.totals.items():
            body = total_body(plan.round, name, self.roster, self.messages, total)
            document = {"geomdp": TOTAL, **body, "stage": self.stage, "signature": signature}
            require_signed(document, TOTAL, holders, "aggregator", plan.round, f"total of {name}")
        require_roster(plan, self.roster)
        if {len(share) for share in self.shares} != {plan.share_size}:
            raise GeomdpError("A total has another length than the plan's sums; it is damaged.")
        opened = plan.noise.modulus.opened(self.shares)
        if opened[-1] > MANY * plan.n:
            raise GeomdpError(
                f"The opened number of records is {opened[-1]}, where {plan.n} were expected: a "
                "site or an aggregator lied, or the plan's n is far off; what was shared counts as "
                "spent."
            )
        return opened


def require_roster(plan: "ConsortiumPlan", roster: Sequence[str]) -> None:
    """Refuse a roster that is short, or names a site twice or one that the plan does not know."""
    unknown = [name for name in roster if name not in plan.sites]
    if unknown or list(roster) != sorted(set(roster)):
        raise GeomdpError(
            f"The roster names {unknown[0]!r}, which is no site of the plan."
            if unknown
            else "The roster names a site twice, or is not in order."
        )
    others = set(roster) ^ set(plan.bound_roster or roster)
    if others:
        raise GeomdpError(
            f"{min(others)!r} is on this roster or on that of the first period, and not on both: "
            "running totals need the same sites in every period. Wait for the site."
        )
    if len(roster) < plan.roster:
        raise GeomdpError(
            f"Only {len(roster)} sites are on the roster, and the plan opens none below "
            f"{plan.roster}: the noise of too few honest sites would be in the total. Wait for "
            "more sites."
        )


def read_totals(plan: "ConsortiumPlan", files: Sequence[Path]) -> Opened:
    """Read the aggregators' totals, and say where they do not belong together."""
    return together(plan, {str(f): read_message(f, TOTAL) for f in files})


def together(plan: "ConsortiumPlan", documents: Mapping[str, Document]) -> Opened:
    """Put totals together, by the names of their files."""
    holders = {name: key.verify for name, key in plan.aggregators.items()}
    found: dict[str, Document] = {}
    for file, document in documents.items():
        name = require_signed(document, TOTAL, holders, "aggregator", plan.round, file)
        if name in found and found[name] != document:
            raise GeomdpError(
                f"{name!r} published two totals: it opened twice, which no honest aggregator does. "
                "Release nothing, and tell every site."
            )
        found[name] = document
    first = next(iter(found.values()), None)
    if first is None:
        raise GeomdpError(f"Give the totals of {', '.join(holders)}.")
    for name, document in found.items():
        others = set(document["roster"]) ^ set(first["roster"])
        if others:
            raise GeomdpError(
                f"{name!r} and {first['aggregator']!r} added other sites: {min(others)!r} is in "
                "one total alone. No sum follows; what was shared counts as spent."
            )
        if document["messages"] != first["messages"]:
            raise GeomdpError(
                f"A site sent {name!r} and {first['aggregator']!r} different boxes. No sum "
                "follows; what was shared counts as spent."
            )
    totals = {n: (found[n]["total"], found[n]["signature"]) for n in holders if n in found}
    return Opened(first["stage"], tuple(first["roster"]), first["messages"], totals)


@undisturbed()
def open_release(plan: "ConsortiumPlan", opened: Opened) -> Release:
    """Return the release that follows from the aggregators' totals: anybody may make it."""
    value = plan.value_of(opened)
    stated = {OPENED: opened.to_json(), "value": array_to_json(value)}
    made = plan.as_released(stated)  # with the noise of the sites that answered
    return Release(made, value, {**first_manifest(made, False), **stated})


def total_of(text: str) -> Document:
    """Read the text of a total that was just made."""
    return parsed(text, TOTAL, "the total")
