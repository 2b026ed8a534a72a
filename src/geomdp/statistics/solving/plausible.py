"""What other machines answer, judged by public facts before anything is spent or drawn.

A worker that is broken, or lies, can send any number. Records of a public ball or length have sums
and counts within public bounds, whatever they are: what lies beyond is refused in one sentence, so
that no release is outside of what n records can give.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import MachinesError
from geomdp.spaces.ball import Ball
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Distances are computed to this part of themselves.
ROUNDED = 1e-6


def refuse(n: int) -> NoReturn:
    """Say that an answer cannot be true."""
    raise MachinesError(
        f"The machines that hold the records sent a sum that no {n} records of the plan have; "
        "nothing was drawn from it. See that the workers are sound, and release again."
    )


def require_integers(answer: Any, size: int, n: int) -> None:
    """Refuse what is no list of so many integers."""
    sound = isinstance(answer, list) and len(answer) == size
    if not (sound and all(type(entry) is int for entry in answer)):
        refuse(n)


def require_sums(totals: Sequence[int], statistic: LinearStatistic, square: int, n: int) -> None:
    """Refuse sums over n integer vectors, and of products of their entries, that there are none of.

    ``totals`` are as the statistic declares them by ``degrees``, ``largest`` and ``blocks``;
    ``square`` is the largest squared length of a block of a vector.
    """
    degrees, largest = statistic.degrees.tolist(), statistic.largest.tolist()
    declared = list(zip(totals, degrees, largest, strict=True))
    # A product of entries is at most the product of the lengths of their blocks.
    if any(total**2 > (n * size) ** 2 * square**degree for total, degree, size in declared):
        refuse(n)
    own = [total for total, degree, size in declared if degree == size == 1]
    if len(own) != statistic.vector_dim:  # some entries come in products alone
        return
    start = 0
    for width in statistic.blocks:
        # Of n vectors of a length the sum is at most n times as long.
        if sum(total**2 for total in own[start : start + width]) > n**2 * square:
            refuse(n)
        start += width


def require_counts(answer: Any, size: int, n: int) -> None:
    """Refuse what are no numbers of records that each of nested balls holds, the widest first."""
    sound = isinstance(answer, np.ndarray) and answer.shape == (size,) and answer.dtype.kind == "i"
    if not sound or np.any(answer < 0) or np.any(answer > n) or np.any(np.diff(answer) > 0):
        refuse(n)


def require_array(answer: Any, shape: tuple[int, ...], n: int, kinds: str = "fc") -> None:
    """Refuse what is no array of numbers of a kind in a public shape."""
    if not (
        isinstance(answer, np.ndarray) and answer.shape == shape and answer.dtype.kind in kinds
    ):
        refuse(n)


def require_rows(rows: Any, shape: tuple[int, ...], n: int) -> None:
    """Refuse what are no rows of finite numbers in the public shape of an admitted record."""
    sound = isinstance(rows, np.ndarray) and rows.dtype.kind in "iufc" and rows.shape[1:] == shape
    if not sound or not np.all(np.isfinite(rows)):
        refuse(n)


def require_points(rows: Array, ball: Ball | None, n: int) -> None:
    """Refuse points outside of the public ball, beyond what rounding moves them."""
    if ball is None:
        return
    with np.errstate(all="ignore"):
        away = np.asarray(ball.space.dist(ball.center, rows))
    if not np.all(away <= ball.reach * (1 + ROUNDED)):
        refuse(n)


def require_pooled(
    counts: NDArray[np.intp], whole: Sequence[Any], broken: Sequence[Any], n: int
) -> None:
    """Refuse answers that do not count every record of every person once.

    ``whole`` are persons, block by block, all of whose records lie in the block; ``broken`` is the
    person of each other record.
    """
    try:
        all_whole, others = np.concatenate(whole), np.concatenate(broken)
        seen = np.bincount(others, minlength=n)
        seen += np.bincount(np.repeat(all_whole, counts[all_whole]), minlength=n)
    except (TypeError, ValueError, IndexError):
        refuse(n)
    if not np.array_equal(seen, counts):
        refuse(n)
