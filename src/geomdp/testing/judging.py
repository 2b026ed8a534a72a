"""How a property is judged: by its worst case, which the error names."""

import numpy as np
from numpy.typing import ArrayLike


def require_at_most(what: str, found: ArrayLike, limit: float) -> None:
    """Raise if any number is above a limit, or is none at all."""
    numbers = np.ravel(np.asarray(found, dtype=float))
    worst = int(np.argmax(numbers))  # a NaN is the largest
    if not numbers[worst] <= limit:
        raise AssertionError(
            f"{what} is {numbers[worst]:.3g} at sample {worst}, and must be at most {limit:.3g}"
        )


def require_close(
    what: str, found: ArrayLike, expected: ArrayLike, *, rtol: float = 0.0, atol: float = 0.0
) -> None:
    """Raise if two arrays differ by more than ``atol + rtol |expected|`` anywhere."""
    left, right = np.broadcast_arrays(np.asarray(found), np.asarray(expected))
    excess = np.ravel(np.abs(left - right) - rtol * np.abs(right))
    worst = int(np.argmax(excess))
    if not excess[worst] <= atol:
        raise AssertionError(
            f"{what} is {left.flat[worst]:.12g} where {right.flat[worst]:.12g} is expected, at "
            f"sample {worst}"
        )


def require_true(what: str, holds: object) -> None:
    """Raise what is not so."""
    if not holds:
        raise AssertionError(what)
