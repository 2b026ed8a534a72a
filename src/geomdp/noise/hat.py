"""A certified three-piece hat over a log-concave density on the half line.

Left exponential, flat top, right exponential (docs/theory/radial-sampling.md). Every slope and the
height are computed in intervals and rounded to the safe side, so that the hat lies above the
density with proof; the resulting floats are then exact public constants.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.intervals import float_above, from_floats, interval, precision
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array

#: Bits for certifying a hat.
CERTIFY_BITS = 256
#: Touching points lie where the log density has fallen this far: optimal for a Gaussian.
DROP = 1.0


@dataclass(frozen=True)
class Hat:
    """Log hat ``top + rise * min(t - left, 0) - fall * max(t - right, 0)`` on [0, end].

    ``rise`` 0 with ``left`` 0 means no left piece; ``right == end`` means no right piece.
    """

    top: float
    left: float
    rise: float
    right: float
    fall: float
    end: float

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Return the radius with quantile ``u`` under the hat, and the log hat there."""
        xp = linalg.namespace(u)
        # The fields are exact numbers: they meet as intervals, never as floats.
        left, right, rise, fall = (
            linalg.constant(value, u) for value in (self.left, self.right, self.rise, self.fall)
        )
        foot = xp.exp(-rise * left)
        low = (1 - foot) / rise if self.left > 0 else 0 * left
        middle = low + (right - left)
        area = u * (middle + self._right_area(right, fall))
        t = left + (area - low)
        log_hat = self.top + 0 * t
        if self.left > 0:
            inside = linalg.less(area, low)
            climb = xp.log(xp.where(inside, foot + rise * area, 1 + 0 * area)) / rise
            t = xp.where(inside, left + climb, t)
            log_hat = xp.where(inside, self.top + rise * climb, log_hat)
        if self.right < self.end:
            inside = ~linalg.less(area, middle)
            over = xp.where(inside, area - middle, 0 * area)
            slide = -xp.log(1 - fall * over) / fall
            t = xp.where(inside, right + slide, t)
            log_hat = xp.where(inside, self.top - fall * slide, log_hat)
        return t, log_hat

    def _right_area(self, right: Array, fall: Array) -> Array:
        """Area under the right piece, in units of the top."""
        if self.right == self.end:
            return 0 * right
        if self.end == float("inf"):
            return 1 / fall
        return (1 - linalg.namespace(fall).exp(-fall * (self.end - right))) / fall


def fit_hat(log_density: Callable[[Array], Array], guess: float, end: float) -> Hat:
    """Fit a hat to a concave log density of the radius, for floats and for intervals alike.

    The search starts from ``guess``, of the size of the law's spread; before ``end`` (may be
    infinite) the density may vanish a little.
    """

    def value(t: float) -> float:
        return float(log_density(np.array([t]))[0])

    mode = _mode(value, guess, end)
    peak = value(mode)
    low = crossing(value, peak - DROP, mode, 0.0)
    high = crossing(value, peak - DROP, mode, _beyond(value, peak - DROP, mode, guess, end))
    with precision(CERTIFY_BITS):
        return _certify(log_density, mode, low, high, end)


def _certify(f: Callable[[Array], Array], mode: float, low: float, high: float, end: float) -> Hat:
    """Turn touching points into a hat that dominates with proof (concavity, secant slopes)."""
    last = min(high, end)
    value, steep, shallow = _tangent(f, mode)
    zero = interval(0)
    top = float_above(value + steep.max(zero) * (last - mode) + (-shallow).max(zero) * mode)
    left = rise = 0.0
    if low > 0:
        value, steep, shallow = _tangent(f, low)
        rise = float(steep.mid())
        slack = ((steep - rise).abs_upper() + (rise - shallow).abs_upper()) * last
        left = max(0.0, -float_above(-(low + (top - value - slack) / rise)))
    if high >= end:
        return Hat(top, left, rise, end, 1.0, end)
    value, steep, shallow = _tangent(f, high)
    fall = -float_above(steep)
    slack = (-shallow - fall).abs_upper() * high
    right = float_above(high - (top - value - slack) / fall)
    return Hat(top, left, rise, min(max(right, left), end), fall, end)


def _tangent(f: Callable[[Array], Array], x: float) -> tuple[Any, Any, Any]:
    """Value at x and certified bounds of the slope there: left secant, right secant."""
    step = 2.0 ** (np.floor(np.log2(x)) - 60)
    at = from_floats(np.array([x]))
    below, here, above = (f(at + k * interval(step))[0] for k in (-1, 0, 1))
    return here, (here - below) / step, (above - here) / step


def _mode(value: Callable[[float], float], guess: float, end: float) -> float:
    """Mode of a concave function by ternary search; a small positive number if it is at 0."""
    low, high = 0.0, min(guess, end)
    while high < end and value(min(2 * high, end)) > value(high):
        high = min(2 * high, end)
    high = min(2 * high, end)
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if value(a) < value(b) else (low, b)
    return max(float((low + high) / 2), 1e-9 * guess)


def _beyond(
    value: Callable[[float], float], level: float, mode: float, guess: float, end: float
) -> float:
    """Find a radius behind the mode where the density is below ``level``, or the end."""
    step = guess
    while mode + step < end and value(mode + step) > level:
        step *= 2
    return min(mode + step, end)


def crossing(value: Callable[[float], float], level: float, inside: float, outside: float) -> float:
    """Point between a radius above ``level`` and one below it; ``outside`` if nothing is below."""
    if value(outside) > level:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if value(middle) > level else (inside, middle)
    return float(inside)
