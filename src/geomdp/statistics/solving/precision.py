"""The Fréchet mean in high precision: what is solved again when floats miss the certificate.

The same geometry runs on intervals of :data:`BITS` bits, where the rounding of a log is some sixty
orders of magnitude below that of floats. It is slow, some milliseconds a record and pass, and
hardly ever needed (docs/theory/tolerance.md).
"""

from functools import partial

import numpy as np

from geomdp.intervals import Ambiguous, elementwise, from_floats, middle, precision, to_floats
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.solving.descent import Descent
from geomdp.statistics.solving.plausible import require_array
from geomdp.typing import Array

#: Even a ball as wide as floats resolve costs fewer than 150 of these.
BITS = 256
#: Points nearer than this count as equal if intervals cannot tell them apart; others are resolved.
NEARBY = 1e-6
#: Records turned into intervals at a time: one takes a hundred bytes and more.
ROWS = 1000


def refine_mean(
    space: Space, points: Encoded | Array, start: Array, descent: Descent, goal: float
) -> Array:
    """Gradient descent on intervals, from a point of the ball until the gradient is below ``goal``.

    The rate of ``descent`` is proved (docs/theory/tolerance.md). The last iterate is returned, as
    floats: evaluate :func:`gradient_norm` there.
    """
    here = from_floats(start)
    for _ in range(descent.passes):
        mean = _mean_log(space, here, points)
        with precision(BITS):
            if _norm(mean) <= goal:
                break
            here = _middle(space.frame_exp(here[None], descent.step * mean[None])[0])
    return to_floats(here)


def gradient_norm(space: Space, at: Array, points: Encoded | Array) -> float:
    """Length of the mean log at a point given as floats, to all digits of a float."""
    mean = _mean_log(space, from_floats(at), points)
    with precision(BITS):
        return _norm(mean)


def _mean_log(space: Space, at: Array, points: Encoded | Array) -> Array:
    """Mean of the logs in the frame at a point, as exact intervals: one pass.

    It raises Ambiguous if a log cannot be resolved.
    """
    encoded = as_encoded(points)
    # Chunks answer in threads, or elsewhere, each at its own precision: none is set here meanwhile.
    sums = list(encoded.ask(partial(log_sum, space, at)))
    for one in sums:
        require_array(one, (space.dim,), len(encoded), kinds="O")
    with precision(BITS):
        return _middle(np.sum(np.stack(sums), axis=0) / len(encoded))


def log_sum(space: Space, at: Array, chunk: Array) -> Array:
    """Sum of the logs of a chunk in the frame at a point, as exact intervals; it may travel."""
    with precision(BITS):
        total = linalg.zeros((space.dim,), at)
        for first in range(0, len(chunk), ROWS):
            total = total + np.sum(_logs(space, at, chunk[first : first + ROWS]), axis=0)
        return _middle(total)


def _logs(space: Space, at: Array, points: Array) -> Array:
    """Return the logs of some records in the frame at a point."""
    logs = space.frame_log(at[None], space.canonical(from_floats(points)))
    lost = ~np.array([all(entry.is_finite() for entry in log) for log in logs])
    if np.any(lost):
        # A point has no direction towards itself. At this precision nothing else is lost.
        if not np.all(space.dist(to_floats(at), points[lost]) <= NEARBY):
            raise Ambiguous
        logs[lost] = from_floats(np.zeros((int(np.sum(lost)), space.dim)))
    return logs


def _middle(x: Array) -> Array:
    """Midpoints as exact intervals, so that widths do not pile up from step to step."""
    return elementwise(middle, x)


def _norm(v: Array) -> float:
    return float(np.sqrt(np.sum(v * v)))
