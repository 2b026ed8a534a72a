"""What an aggregator does: check every box, agree on the roster, add its own shares, publish once.

The promise rests on one honest aggregator: it counts one message a site, refuses a short roster and
opens nothing twice (docs/theory/consortium.md, section 3).
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geomdp.consortia.keeping import Kept
from geomdp.consortia.keys import Identity, require_sodium
from geomdp.consortia.messages import (
    BOX,
    LIST,
    TOTAL,
    identity_of,
    read_message,
    require_signed,
    share_in,
    signed,
)
from geomdp.consortia.opening import require_roster, total_body, total_of
from geomdp.consortia.plan import ConsortiumPlan
from geomdp.errors import GeomdpError
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import canonical


@dataclass(frozen=True)
class Box:
    """A box whose signature was checked: whose, which message, and where it lies."""

    site: str
    message: str
    file: Path


def boxes_in(plan: ConsortiumPlan, files: Sequence[Path]) -> dict[str, Box]:
    """Check the boxes in files, and return one a site.

    Raises ``GeomdpError`` if one is unsigned, foreign, of another plan or stage, or a site sent
    two.
    """
    of = plan.round
    found: dict[str, Box] = {}
    for file in files:
        document = read_message(file, BOX)
        site = require_signed(document, BOX, plan.sites, "site", of, str(file))
        one = Box(site, identity_of(document), file)
        before = found.setdefault(site, one)
        if before.message != one.message:
            raise GeomdpError(
                f"{site!r} sent two boxes that differ, {str(before.file)!r} and {str(file)!r}: one "
                "message a site is counted. Ask the site which one it keeps beside its key, and "
                "leave the other out."
            )
    return found


@undisturbed()
def list_boxes(plan: ConsortiumPlan, files: Sequence[Path], identity: Identity) -> str:
    """Return an aggregator's signed list of the boxes that it holds."""
    require_sodium()
    plan.require_whole()
    name = plan.aggregator_of(identity.public.verify)
    held = {site: one.message for site, one in sorted(boxes_in(plan, files).items())}
    return signed(LIST, {**plan.round.to_json(), "aggregator": name, "holds": held}, identity)


def agreed_roster(
    plan: ConsortiumPlan, boxes: Mapping[str, Box], lists: Sequence[Path]
) -> dict[str, Box]:
    """Return the boxes that all aggregators list; without lists all of the plan's must be here.

    Raises ``GeomdpError`` if an aggregator's list is missing, or a box that all list is not here.
    """
    if not lists:
        missing = sorted(plan.sites.keys() - boxes.keys())
        if missing:
            raise GeomdpError(
                f"{len(missing)} of {len(plan.sites)} sites are missing, {missing[0]!r} for one: a "
                "smaller roster must be agreed first. Each aggregator signs what it holds (geomdp "
                "consortium list), and all lists are given here (--list)."
            )
        return dict(boxes)
    common = None
    for held in _lists(plan, lists).values():
        common = held if common is None else dict(held.items() & common.items())
    found = {}
    for site, message in sorted((common or {}).items()):
        if site not in boxes or boxes[site].message != message:
            raise GeomdpError(
                f"The box of {site!r} that all aggregators list is not among these files; give all "
                "that were listed."
            )
        found[site] = boxes[site]
    return found


def _lists(plan: ConsortiumPlan, files: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Read the aggregators' lists: one of each."""
    holders = {name: key.verify for name, key in plan.aggregators.items()}
    found: dict[str, dict[str, str]] = {}
    for file in files:
        document = read_message(file, LIST)
        name = require_signed(document, LIST, holders, "aggregator", plan.round, str(file))
        if found.setdefault(name, document["holds"]) != document["holds"]:
            raise GeomdpError(f"{name!r} signed two lists that differ; ask which one holds.")
    missing = sorted(holders.keys() - found.keys())
    if missing:
        raise GeomdpError(
            f"The list of {missing[0]!r} is missing: a roster is agreed by the lists of all "
            f"aggregators, which are {', '.join(holders)}."
        )
    return found


@undisturbed()
def add(
    plan: ConsortiumPlan, files: Sequence[Path], identity: Identity, lists: Sequence[Path] = ()
) -> str:
    """Return what an aggregator publishes: the sum of its shares, once for each stage.

    The same roster gives the same bytes again; another one is refused, since the difference of two
    totals is one site's sum with one site's noise.

    Parameters
    ----------
    plan
        Of the consortium.
    files
        The sites' boxes.
    identity
        The aggregator's private key.
    lists
        Signed lists of all aggregators, where sites are missing.
    """
    require_sodium()
    plan.require_whole()
    name, of = plan.aggregator_of(identity.public.verify), plan.round
    roster = agreed_roster(plan, boxes_in(plan, files), lists)
    require_roster(plan, sorted(roster))
    counted = {site: roster[site].message for site in sorted(roster)}
    messages = hashlib.sha256(canonical(counted).encode()).hexdigest()
    kept = Kept(identity.kept, f"{of.name}.total")
    with kept.alone():
        text = kept.read()
        if text is None:
            total = plan.noise.modulus.added(_own_shares(plan, roster, name, identity))
            encoded = base64.b64encode(total).decode("ascii")
            body = total_body(of, name, sorted(roster), messages, encoded)
            text = kept.keep(signed(TOTAL, body, identity))
    _require_same(text, sorted(roster), messages)
    return text


def _own_shares(
    plan: ConsortiumPlan, roster: Mapping[str, Box], name: str, identity: Identity
) -> Iterator[bytes]:
    """Open this aggregator's shares, one box after the other."""
    of, size = plan.round, plan.share_size
    for site, one in sorted(roster.items()):
        document = read_message(one.file, BOX)
        if identity_of(document) != one.message or document["site"] != site:
            raise GeomdpError(f"{str(one.file)!r} changed while it was read; start again.")
        yield share_in(document, of, name, identity, size)


def _require_same(text: str, roster: list[str], messages: str) -> None:
    """Refuse a second opening."""
    published = total_of(text)
    if (published["roster"], published["messages"]) == (roster, messages):
        return
    others = sorted(set(published["roster"]) ^ set(roster))
    which = f"{others[0]!r} is on one roster alone" if others else "a site's box is another one"
    raise GeomdpError(
        f"This stage was opened already, with {len(published['roster'])} sites, and {which}. A "
        "second total would tell one site's sum with one site's noise: it is refused. Give the "
        "boxes of the first opening to get the same bytes again."
    )
