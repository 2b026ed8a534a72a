"""Check before you spend: what a curator should know of the records, and nobody else.

Nothing is drawn, debited or written. What would refuse a release is what ``prepare`` refuses:
public facts (number, shape, columns, labels) and what the policy for invalid records says. All else
is told here alone, so that a release says nothing that depends on the records.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.record_bytes import bytes_of
from geomdp.runtime.notebooks import Shown
from geomdp.serial import Document
from geomdp.sources.records import Records, as_records
from geomdp.spaces.rows import require_as_many
from geomdp.statistics.base import CheckFindings, Statistic

if TYPE_CHECKING:
    from geomdp.plans.base import Plan

#: What stands on top of every check.
EYES_ONLY = (
    "For the curator alone. Nothing below may be published, or used to change the ball, the public "
    "number n or any other setting of the plan: that would tell about the records, and no noise "
    "would cover it."
)
#: Invalid records and pairs of equal ones that are named one by one.
MOST_NAMED = 20
#: Records that are compared with each other: all need room in memory.
MOST_COMPARED = 10**6


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """What a look at the records found. Never for publication.

    Attributes
    ----------
    refusal
        Why a release would be refused; empty if it would not.
    facts
        Numbers of records, groups and persons.
    concerns
        What to look into before spending: invalid, clipped or equal records, units that look wrong.
    record
        Row of the record for which it would be refused, where it is one.
    """

    refusal: str
    facts: tuple[str, ...]
    concerns: tuple[str, ...]
    record: int | None = None

    @property
    def passed(self) -> bool:
        """Whether a release would not be refused."""
        return not self.refusal

    def to_json(self) -> Document:
        """Describe for machines."""
        return {
            "not for publication": EYES_ONLY,
            "passed": self.passed,
            "refusal": self.refusal,
            "facts": list(self.facts),
            "concerns": list(self.concerns),
        }

    def __repr__(self) -> str:
        last = "refused" if self.refusal else "not refused"
        return f"<Check, not for publication: would be {last}, concerns: {len(self.concerns)}>"

    def __str__(self) -> str:
        lines = [EYES_ONLY, "", *(f"Found        {fact}" for fact in self.facts)]
        lines += [f"Look at      {concern}" for concern in self.concerns]
        last = f"would be refused: {self.refusal}" if self.refusal else "would not be refused"
        return "\n".join([*lines, f"A release    {last}"])


def check_records(plan: "Plan", records: Any) -> Check:
    """Look at the records of a plan; see :meth:`geomdp.Plan.check`."""
    refusal, record = _refusal(plan, records)
    if not plan.statistic.needs_n:
        return Check(refusal, ("one computed point",), (), record)
    data = as_records(records)
    count = f"{len(data)} records; the plan is for {plan.unit.count(plan.n)}"
    facts = (count, *_groups(plan, data), *_persons(plan, data))
    try:
        findings = _read_findings(plan, data)
    except GeomdpError:  # a public fact, which the refusal states
        return Check(refusal, facts, (), record)
    told = (*facts, *plan.foretold(findings))
    return Check(refusal, told, (*_concerns(plan, findings), *_duplicates(data)), record)


def _refusal(plan: "Plan", records: Any) -> tuple[str, int | None]:
    """Return why a release would be refused, and for which record."""
    try:
        plan.prepare(records)
    except InvalidRecordError as error:
        return str(error), error.record
    except GeomdpError as error:
        return str(error), None
    return "", None


def _read_findings(plan: "Plan", data: Records) -> CheckFindings:
    """Look at the records as the plan reads them; what is no raw record is invalid as such."""
    reading = plan.reading
    if reading is None or data.read:
        return _findings(plan.public_statistic, data)
    statistic, shape = plan.public_statistic, plan.public_statistic.record_shape
    raw = reading.complaints(data, shape)
    findings = _findings(statistic, reading.records(data, "public", shape))
    return CheckFindings(findings.count, {**findings.invalid, **raw}, findings.distances)


def _findings(statistic: Statistic, data: Records) -> CheckFindings:
    """Join what every chunk says."""
    invalid: dict[int, str] = {}
    distances = []
    start = 0
    for chunk in data.pieces(statistic.covariate_names):
        found = statistic.check(chunk)
        require_as_many(found.count, len(chunk))
        invalid |= {start + row: reason for row, reason in found.invalid.items()}
        if found.distances is not None:
            distances.append(found.distances)
        start += found.count
    return CheckFindings(start, invalid, np.concatenate(distances) if distances else None)


def _groups(plan: "Plan", data: Records) -> Iterator[str]:
    if data.group is None:
        return
    sizes = Counter(data.group.tolist())
    if plan.statistic.labelled:
        yield from (f"label {label!r}: {sizes[label]} records" for label in sorted(sizes))
        return
    for label in sorted(sizes.keys() | plan.parts.keys()):
        planned = plan.parts[label].n if label in plan.parts else None
        says = (
            "is not in the plan" if planned is None else f"the plan says {plan.unit.count(planned)}"
        )
        yield f"group {label!r}: {sizes[label]} records; {says}"


def _persons(plan: "Plan", data: Records) -> Iterator[str]:
    if data.person is None:
        return
    counts = Counter(data.person.tolist())
    most = max(counts.values(), default=0)
    yield f"{len(counts)} persons, at most {most} records each"
    limit = plan.unit.max_records
    beyond = sum(max(0, count - limit) for count in counts.values()) if limit is not None else 0
    if beyond:
        yield f"{beyond} records beyond a person's first {limit}, which would not count"


def _concerns(plan: "Plan", found: CheckFindings) -> Iterator[str]:
    if found.count and not found.valid:
        yield "not one record is valid: look at the format, the columns and the template"
    yield from _named(found.invalid)
    clipped = int(np.sum(found.clipped))
    if not clipped or found.distances is None:
        return
    if clipped == found.valid:
        nearest = float(np.nanmin(found.distances))
        yield (
            f"all records lie outside the ball, the nearest {nearest:.3g} times its radius from "
            "the centre: are the units those of the plan (radians, metres), and the columns in "
            "order?"
        )
    share = f"{clipped} of {found.count} records ({clipped / found.count:.1%})"
    if plan.unit.counted == "record":
        yield f"{share} would be clipped"
    else:
        yield f"{share} lie outside the ball; what would be clipped is the mean of a person's"


def _named(invalid: Mapping[int, str]) -> Iterator[str]:
    for row in sorted(invalid)[:MOST_NAMED]:
        yield f"record {row + 1} is invalid: {invalid[row]}"
    if len(invalid) > MOST_NAMED:
        yield f"{len(invalid) - MOST_NAMED} more records are invalid, {len(invalid)} in all"


def _duplicates(data: Records) -> Iterator[str]:
    """Name rows that hold the same numbers as an earlier row, among the first of many.

    Numbers that stand alone, such as readings one a row or heights, are often equal.
    """
    some = next(iter(data.chunks()), None)
    if isinstance(some, np.ndarray) and some.dtype.kind in "fiu" and some.size == len(some):
        return
    if len(data) > MOST_COMPARED:
        yield f"only the first {MOST_COMPARED} records were compared with each other"
    first: dict[bytes, int] = {}
    equal = []
    parts = (part for chunk in data.chunks() for part in bytes_of(chunk))
    for row, part in enumerate(islice(parts, MOST_COMPARED)):
        earlier = first.setdefault(blake2b(part, digest_size=16).digest(), row)
        if earlier != row:
            equal.append((earlier, row))
    for earlier, row in equal[:MOST_NAMED]:
        yield f"records {earlier + 1} and {row + 1} hold the same numbers"
    if len(equal) > MOST_NAMED:
        yield f"{len(equal) - MOST_NAMED} more records repeat earlier ones, {len(equal)} in all"
