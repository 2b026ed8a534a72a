"""All records of a person as one: the exponential of their clipped mean log, or their mean curve.

Covariates become one value a person too (docs/theory/regression.md, section 4).

Neighbours replace all records of one person, by any number of others: no maximum, nothing cut off,
and how many there are stays hidden (docs/theory/persons.md).
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.privacy import Unit
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.sources.records import Records
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.rows import MISSING, require_as_many
from geomdp.statistics import Statistic
from geomdp.statistics.pooling import Pooling
from geomdp.statistics.solving.plausible import refuse, require_pooled, require_rows
from geomdp.typing import Array


def is_pooled(unit: Unit) -> bool:
    """Tell whether a person counts once, however many records there are."""
    return unit.of == "person" and unit.max_records is None


def require_poolable(statistic: Statistic, unit: Unit) -> None:
    """Refuse, while planning, what persons with any number of records cannot have."""
    if not is_pooled(unit):
        return
    if statistic.pooling is None:
        raise GeomdpError(
            "Persons with any number of records need a statistic with a public ball or template, "
            "where their records are averaged; state a maximum (Unit.person(max_records=...))."
        )


@on_one_blas_thread
def one_record_a_person(statistic: Statistic, records: Records, n: int, policy: Policy) -> Records:
    """Return n records, one a person; a person of the roster without records is the public one.

    Each is a function of that person's records alone: logs are added one after the other, in the
    order of the file. The number of persons n is public, never counted from the records.
    """
    pooling = statistic.pooling
    if pooling is None:
        raise GeomdpError("This statistic has no place where a person's records are averaged.")
    owner = _owners(records, n)
    sums, counts = np.zeros((n, pooling.dim)), np.bincount(owner, minlength=n)
    invalid: dict[int, str] = {}
    answers = list(_pooled(statistic, pooling, records, owner))
    if records.source.elsewhere:
        _require_sound(answers, counts, pooling.dim)
    for found in answers:
        # In the order of the rows, so that nobody else's records change a sum.
        sums[found.whole] += found.sums
        np.add.at(sums, found.broken, found.vectors)
        invalid |= found.invalid
    Admitted(np.empty(0), invalid).under(policy)
    points = pooling.records(sums / np.maximum(counts, 1)[:, None])
    return Records(points, covariates=statistic.pooled_covariates(records.covariates, owner, n))


def _require_sound(answers: list["_Pooled"], counts: NDArray[np.intp], dim: int) -> None:
    """Refuse what other machines cannot have found: each record counts once, by finite numbers."""
    n = len(counts)
    for found in answers:
        for numbers, persons in ((found.sums, found.whole), (found.vectors, found.broken)):
            require_rows(numbers, (dim,), n)
            if len(numbers) != len(persons):
                refuse(n)
    require_pooled(counts, [one.whole for one in answers], [one.broken for one in answers], n)


class _Pooled(NamedTuple):
    """The persons of a block: sums of those who have all records there, and vectors of others."""

    whole: NDArray[np.intp]
    sums: Array
    broken: NDArray[np.intp]
    vectors: Array
    invalid: Mapping[int, str]


def _pooled(
    statistic: Statistic, pooling: Pooling, records: Records, owner: NDArray[np.intp]
) -> Iterator[_Pooled]:
    """Pool the records of each block where it lies; a person's sum is the same wherever."""
    rows = np.arange(len(owner))
    first, last = np.zeros(len(owner), np.intp), np.zeros(len(owner), np.intp)
    last[owner] = rows
    first[owner[::-1]] = rows[::-1]
    # Exact sums may be taken apart at the ends of blocks; what comes from elsewhere is counted.
    here = pooling.exact and not records.source.elsewhere
    columns = {"owner": owner, "first": first[owner], "last": last[owner]}
    columns |= {name: records.beside[name] for name in pooling.names if name in records.beside}
    return records.source.ask(partial(_pool_block, pooling, here), statistic.public_ball, columns)


def _pool_block(
    pooling: Pooling,
    apart: bool,
    start: int,
    block: Any,
    columns: Mapping[str, NDArray[np.intp]],
) -> _Pooled:
    beside = {name: columns[name] for name in pooling.names if name in columns}
    pieces = Records(block, covariates=beside).pieces(pooling.names)
    parts = [pooling.vectors(chunk) for chunk in pieces]
    begins = start + np.cumsum([0, *(len(part.records) for part in parts)])
    invalid = {
        int(begin) + row: reason
        for begin, part in zip(begins, parts, strict=False)
        for row, reason in part.invalid.items()
    }
    vectors, owner = np.concatenate([part.records for part in parts]), columns["owner"]
    require_as_many(len(vectors), len(owner))
    inside = (columns["first"] >= start) & (columns["last"] < start + len(owner))
    inside |= apart
    whole, place = np.unique(owner[inside], return_inverse=True)
    sums = np.zeros((len(whole), pooling.dim))
    np.add.at(sums, place, vectors[inside])
    return _Pooled(whole, sums, owner[~inside], vectors[~inside], invalid)


def absent_rows(records: Records, n: int) -> NDArray[np.intp]:
    """Return the rows of :func:`one_record_a_person` that belong to persons without records."""
    return np.arange(len(np.unique(require_persons(records))), n, dtype=np.intp)


def _owners(records: Records, n: int) -> NDArray[np.intp]:
    """Return numbers of the persons, in the order of their names; refuse more than planned."""
    roster, owner = np.unique(require_persons(records), return_inverse=True)
    if len(roster) > n:
        raise InvalidRecordError(
            f"The plan is for {n} persons, but there are {len(roster)}; declare the true size of "
            "the roster, which is public."
        )
    return np.asarray(owner, dtype=np.intp)


def within_groups(records: Records, labels: list[str], most: int) -> NDArray[np.bool_]:
    """Mark the records of each person's first ``most`` groups, in the order of the plan.

    The others count as not there, so that a person changes so many groups and no more.
    """
    _, owner = np.unique(require_persons(records), return_inverse=True)
    place = np.array([labels.index(label) for label in records.group.tolist()], dtype=np.intp)
    present = np.zeros((owner.max(initial=-1) + 1, len(labels)), dtype=bool)
    present[owner, place] = True
    rank = np.cumsum(present, axis=1) - 1
    return np.asarray(rank[owner, place] < most)


# --- Records beyond a person's public maximum: they count as the public record.


def uncounted_rows(unit: Unit, records: Records) -> NDArray[np.intp]:
    """Return the rows that do not count under a unit of privacy, or refuse public facts.

    Persons are public facts: a plan that knows of none takes no column, and one that does needs it.
    """
    if unit.of == "record":
        if records.person is not None:
            raise GeomdpError(
                "The plan states no maximum of records a person; plan with one "
                "(unit=Unit.person(max_records=...), --max-per-person)."
            )
        return np.empty(0, dtype=np.intp)
    if unit.max_records is None:
        raise GeomdpError("Persons without a maximum of records are pooled, not counted.")
    excess = np.flatnonzero(beyond_maximum(require_persons(records), unit.max_records))
    if unit.labels == "private" and excess.size:
        raise InvalidRecordError(
            f"Someone has more than {unit.max_records} records, which private labels do not allow; "
            "state the true public maximum."
        )
    return excess


def require_persons(records: Records) -> NDArray[np.str_]:
    """Return who each record belongs to, or refuse records that do not say."""
    if records.person is None:
        raise GeomdpError(
            "The plan protects persons; say who each record belongs to (Records(points, "
            "person=...), --person)."
        )
    ids: NDArray[np.str_] = records.person
    # Of gaps, records of several persons would pass for those of one.
    gaps = [name for name in np.unique(ids).tolist() if name.casefold() in MISSING]
    if gaps:
        marked = f", but {gaps[0]!r}" if gaps[0] else ""
        raise InvalidRecordError(
            f"A record has no person{marked}; fill the column of persons, each with an id of "
            "their own."
        )
    return ids


def beyond_maximum(persons: NDArray[np.str_], most: int) -> NDArray[np.bool_]:
    """Mark the records that come after a person's first ``most``."""
    _, owner = np.unique(persons, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    rank = np.empty(len(owner), dtype=np.intp)
    rank[order] = np.arange(len(owner)) - np.searchsorted(ordered, ordered)
    return rank >= most
