"""Records beyond a person's public maximum: they count as the public record."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.privacy import Unit
from geomdp.sources.records import Records
from geomdp.spaces.rows import MISSING


def uncounted_rows(unit: Unit, records: Records) -> NDArray[np.intp]:
    """Return the rows that do not count under a unit of privacy, or refuse public facts.

    Persons are public facts: a plan that knows of none takes no column, and one that does needs it.

    >>> records = Records(np.zeros((4, 2)), person=["p", "q", "p ", "p"])
    >>> uncounted_rows(Unit.person(max_records=2), records).tolist()
    [3]
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
    _require_names(ids)
    return ids


def _require_names(ids: NDArray[np.str_]) -> None:
    """Refuse gaps: records of several persons would pass for those of one."""
    gaps = [name for name in np.unique(ids).tolist() if name.casefold() in MISSING]
    if gaps:
        marked = f", but {gaps[0]!r}" if gaps[0] else ""
        raise InvalidRecordError(
            f"A record has no person{marked}; fill the column of persons, each with an id of "
            "their own."
        )


def beyond_maximum(persons: Any, most: int) -> NDArray[np.bool_]:
    """Mark the records that come after a person's first ``most``.

    Examples
    --------
    >>> beyond_maximum(["p", "q", "p", "p"], 2).tolist()
    [False, False, False, True]
    """
    texts = np.asarray(persons).astype(str)
    _require_names(texts)
    _, owner = np.unique(texts, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    rank = np.empty(len(owner), dtype=np.intp)
    rank[order] = np.arange(len(owner)) - np.searchsorted(ordered, ordered)
    return rank >= most
