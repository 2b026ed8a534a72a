"""What does not follow, and where."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Numbers may differ in their last digits between machines.
RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Problem:
    """A field of a manifest, or a file beside it, and what is wrong with it.

    Examples
    --------
    >>> print(Problem("plan.derived.scale", "0.1 is stated, 0.2 follows"))
    plan.derived.scale: 0.1 is stated, 0.2 follows
    """

    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"

    def under(self, prefix: str) -> "Problem":
        """Return the same problem, seen from a folder above."""
        return Problem(f"{prefix}/{self.field}", self.reason)


def differences(field: str, follows: Any, stated: Any) -> Iterator[Problem]:
    """Compare what follows with what is stated, field by field.

    Examples
    --------
    >>> [str(p) for p in differences("plan", {"n": 2, "scale": 0.5}, {"n": 2, "scale": 0.25})]
    ['plan.scale: 0.25 is stated, but 0.5 follows from the public inputs']
    """
    if isinstance(follows, dict) and isinstance(stated, dict):
        for key in follows.keys() | stated.keys():
            if key in follows and key in stated:
                yield from differences(f"{field}.{key}", follows[key], stated[key])
            else:
                what = "is missing" if key in follows else "does not belong here"
                yield Problem(f"{field}.{key}", what)
    elif not same(follows, stated):
        yield Problem(
            field, f"{stated!r} is stated, but {follows!r} follows from the public inputs"
        )


def same(a: Any, b: Any) -> bool:
    """Tell whether two entries agree, numbers up to their last digits.

    Examples
    --------
    >>> same(0.3, 0.1 + 0.2), same(1.0, 1.001), same("sharp", "paper")
    (True, False, False)
    """
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    if numbers and not isinstance(a, bool) and not isinstance(b, bool):
        return bool(np.isclose(a, b, rtol=RELATIVE_TOLERANCE, atol=0.0))
    return type(a) is type(b) and bool(a == b)
