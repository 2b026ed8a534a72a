"""The chain: each entry carries a keyed hash of itself and of everything before it.

What it shows and what it cannot: docs/theory/ledger.md. And entries as people and programs read
them: who did what, when, and for what.
"""

import getpass
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from geomdp.ledger.keys import Key
from geomdp.privacy import Budget, Cost, Unit, budget_from_json, cost_from_json
from geomdp.serial import canonical


class Row(NamedTuple):
    """One row of the table of entries, as the database holds it."""

    number: int
    body: str
    link: str
    fingerprint: str | None = None
    pad: str | None = None
    seal: str | None = None


def link_of(key: Key, previous: str, body: str) -> str:
    """Return the link of an entry after the one with the link ``previous``; "" for the first."""
    return key.mac("link", previous.encode(), body.encode()).hex()


def seal_of(key: Key, body: str, fingerprint: str, pad: str) -> str:
    """Return what binds the unpublished columns of a row to its body."""
    return key.mac("seal", body.encode(), fingerprint.encode(), pad.encode()).hex()


def commitment_of(fingerprint: str, pad: str) -> str:
    """Return the published commitment: uniformly random whatever the records are.

    A one-time pad, so that nothing about the data is published, and not merely nothing that can be
    computed. What binds it is the seal, which only a holder of the key can check or make.
    """
    pairs = zip(bytes.fromhex(fingerprint), bytes.fromhex(pad), strict=True)
    return bytes(a ^ b for a, b in pairs).hex()


def make_row(
    key: Key, rows: Sequence[Row], document: Mapping[str, Any], secrets: tuple[str, str] | None
) -> Row:
    """Return the row after all ``rows``; fingerprint and pad are the secrets of a debit."""
    body = canonical({**document, "number": len(rows)})
    link = link_of(key, rows[-1].link if rows else "", body)
    if secrets is None:
        return Row(len(rows), body, link)
    return Row(len(rows), body, link, *secrets, seal_of(key, body, *secrets))


def chain_problems(
    rows: Sequence[Row],
    key: Key,
    ledger: str,
    seen: Mapping[int, set[str]],
    checked: int = 0,
    entries: "list[Entry] | None" = None,
) -> list[str]:
    """Return what is wrong with a ledger, in sentences; empty if nothing is.

    Rows are read *after* the heads of the side file, which never runs ahead of the database. The
    first so many may have been checked before, and are the same to the last bit. What the others
    say is read once, and added to ``entries``.
    """
    found = [*_row_problems(rows, key, ledger, checked, [] if entries is None else entries)]
    links = {row.number: row.link for row in rows}
    for number, heads in sorted(seen.items()):
        if number not in links:
            found.append(f"entry {number} was here, as the side file knows, and was deleted")
        elif heads != {links[number]}:
            found.append(f"entry {number} is another one than the side file knows")
    return found


def _row_problems(
    rows: Sequence[Row], key: Key, ledger: str, checked: int, entries: "list[Entry]"
) -> Iterator[str]:
    if not rows:
        yield "there is no entry, not even the first"
    previous = rows[checked - 1].link if checked else ""
    for place, row in enumerate(rows[checked:], start=checked):
        if row.number != place:
            yield f"entry {place} is missing"
            return
        # A database may hold anything in a column of texts.
        if not isinstance(row.body, str) or row.link != link_of(key, previous, row.body):
            also = ", or this is the key of another ledger" if place == 0 else ""
            yield f"entry {place} was altered, moved or added by somebody without the key{also}"
            return
        entries.append(Entry.of(row))  # written by a holder of the key
        yield from _inner_problems(row, entries[-1].body, key, ledger)
        previous = row.link


def _inner_problems(row: Row, document: Mapping[str, Any], key: Key, ledger: str) -> Iterator[str]:
    """Check what the link does not cover: columns beside the body, and another ledger's entry."""
    if document["ledger"] != ledger or document["number"] != row.number:
        yield f"entry {row.number} belongs to another ledger or place"
    empty = (row.fingerprint, row.pad, row.seal) == (None, None, None)
    if not (_sealed(row, key) if "commitment" in document else empty):
        yield f"the private columns of entry {row.number} were altered"


def _sealed(row: Row, key: Key) -> bool:
    if not isinstance(row.fingerprint, str) or not isinstance(row.pad, str):
        return False
    return row.seal == seal_of(key, row.body, row.fingerprint, row.pad)


# --- Entries as people and programs read them: who did what, when, and for what.


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

    @property
    def granted_to(self) -> str | None:
        """Name of the data set that is granted a budget."""
        return self.dataset if self.kind == "grant" else None

    @property
    def debited_from(self) -> str | None:
        """Name of the data set that pays for a release."""
        return self.dataset if self.kind == "debit" else None

    @property
    def outcome(self) -> Literal["published", "abandoned"] | None:
        """What became of the debit that it is about."""
        kind = self.kind
        return kind if kind in ("published", "abandoned") else None

    @cached_property
    def budget(self) -> Budget:
        """What was granted."""
        return budget_from_json(self.body["budget"])

    @cached_property
    def cost(self) -> Cost:
        """What was spent."""
        return _cost_of(canonical(self.body["cost"]))

    @cached_property
    def unit(self) -> Unit:
        """To whom the debited release makes its promise."""
        return _unit_of(canonical(self.body["unit"]))


@lru_cache(maxsize=1024)
def _cost_of(text: str) -> Cost:
    """Read a cost; thousands of entries repeat a few."""
    return cost_from_json(json.loads(text))


@lru_cache(maxsize=1024)
def _unit_of(text: str) -> Unit:
    return Unit.from_json(json.loads(text))


def signed_now(role: str | None) -> dict[str, str]:
    """Say who writes now, and when."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container without a list of users
        user = "unknown"
    by = user if role is None else f"{user} as {role}"
    return {"at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "by": by}
