"""Whether a document says what follows from its public inputs: numbers, arrays, whole plans."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document, array_from_json, is_array

#: Numbers may differ in their last digits between machines.
RELATIVE_TOLERANCE = 1e-9
#: Entries of a derived array (the curves of a template) may differ by this much of the largest.
ARRAY_TOLERANCE = 1e-7
#: What a plan forecasts of its errors. It calibrates nothing: a better forecast of a later version
#: must not invalidate a plan that was approved or a release that was published.
FORECASTS = frozenset(
    {
        "expected_error",
        "acceptance at the boundary",
        "share not positive definite at the centre",
    }
)
#: Forecasts by what is not known in advance are none of these numbers either, and the hash of a
#: plan covers its forecasts; it is checked against the document it stands in.
_NOT_COMPARED = FORECASTS | {"forecasts", "hash"}


def same(a: Any, b: Any) -> bool:
    """Tell whether two entries agree, numbers up to their last digits.

    Examples
    --------
    >>> same(0.3, 0.1 + 0.2), same(1.0, 1.001), same("sharp", "paper")
    (True, False, False)
    >>> same(10**400, 10**400), same(10**400, 1.0)
    (True, False)
    """
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):  # a file has lists only
        return len(a) == len(b) and all(same(*pair) for pair in zip(a, b, strict=True))
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    if numbers and not isinstance(a, bool) and not isinstance(b, bool):
        try:
            return math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
        except OverflowError:  # an integer of a damaged file beyond all floats
            return bool(a == b)
    return type(a) is type(b) and bool(a == b)


def disagreements(
    field: str, follows: Any, stated: Any, because: str = "follows"
) -> Iterator[tuple[str, str]]:
    """Yield each field in which a document differs from what follows, and how.

    Examples
    --------
    >>> list(disagreements("plan", {"n": 2, "scale": 0.5}, {"n": 2, "scale": 0.25}))
    [('plan.scale', '0.25 is stated, but 0.5 follows')]
    """
    if is_array(follows) and is_array(stated):
        if not _same_array(follows, stated):
            yield field, f"it holds other numbers than what {because}"
    elif isinstance(follows, dict) and isinstance(stated, dict):
        for key in sorted(follows.keys() | stated.keys()):
            name = f"{field}.{key}" if field else key
            if key in follows and key in stated:
                yield from disagreements(name, follows[key], stated[key], because)
            else:
                yield name, "is missing" if key in follows else "does not belong here"
    elif not same(follows, stated):
        yield field, f"{stated!r} is stated, but {follows!r} {because}"


def plan_disagreements(
    follows: Document, stated: Document, because: str = "follows"
) -> Iterator[tuple[str, str]]:
    """Compare two descriptions of a plan, all but their forecasts.

    Examples
    --------
    >>> made = {"n": 9, "derived": {"scale": 0.5, "expected_error": 1.0}}
    >>> old = {"n": 9, "derived": {"scale": 0.4, "expected_error": 1.1}}
    >>> list(plan_disagreements(made, old))
    [('derived.scale', '0.4 is stated, but 0.5 follows')]
    """
    made, read = _without_forecasts(follows), _without_forecasts(stated)
    yield from disagreements("", made, read, because)


def _without_forecasts(item: Any) -> Any:
    """Leave forecasts out of a plan, and of the plans of its groups; and the hash that has them."""
    if not isinstance(item, dict):
        return item
    return {key: _without_forecasts(part) for key, part in item.items() if key not in _NOT_COMPARED}


def _same_array(a: Document, b: Document) -> bool:
    try:
        x, y = array_from_json(a), array_from_json(b)
    except GeomdpError:
        return False
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    largest = float(np.max(np.abs(x), initial=0.0))
    return bool(np.array_equal(x, y)) or bool(np.all(np.abs(x - y) <= ARRAY_TOLERANCE * largest))
