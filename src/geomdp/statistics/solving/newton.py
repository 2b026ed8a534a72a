"""Newton's method for the Fréchet mean of records in memory.

The Hessian of the mean squared distance is close to the identity inside a ball, so that conjugate
gradients solve Newton's equation in a few products and four passes over the data reach 1e-10.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from geomdp.runtime.threads import in_threads
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.solving.passes import Chunk, slices
from geomdp.typing import Array

#: Passes after which Newton's method gives up; convergent problems need fewer than ten.
MAX_PASSES = 50


@dataclass(frozen=True, eq=False)
class Expansion:
    """Mean log (minus the gradient) and Hessian of the objective at a point."""

    point: Array
    descent: Array
    norm: float
    hessian: Callable[[Array], Array]

    def towards(self, space: Space, descent: Array) -> "Expansion":
        """Return the same Hessian with another descent."""
        return replace(self, descent=descent, norm=float(space.norm(self.point, descent)))


def newton(
    space: Space, data: Chunk, *, tol: float, start: Array, reduction: float = 0.0
) -> tuple[Expansion, int]:
    """Newton's method with steps that are shortened until they improve; and how many passes.

    It stops where the gradient is at most ``tol``, or this share of what it was at the start.
    """
    here = expand(space, start, data)
    passes, tol = 1, max(tol, reduction * here.norm)
    while here.norm > tol and passes < MAX_PASSES:
        step = newton_step(space, here)
        there = expand(space, follow(space.exp, here.point, step), data)
        passes += 1
        # Written so that a step into overflow, whose norm is NaN, counts as no improvement.
        while not there.norm < here.norm and passes < MAX_PASSES:
            step = step / 2
            there = expand(space, follow(space.exp, here.point, step), data)
            passes += 1
        if not there.norm < here.norm:
            break
        here = there
    return here, passes


def follow(exp: Callable[[Array, Array], Array], point: Array, step: Array) -> Array:
    """Where a step leads by an exponential, NaN if floats do not reach."""
    try:
        with np.errstate(all="ignore"):
            return exp(point, step)
    except np.linalg.LinAlgError:
        return np.nan * point


def expand(space: Space, at: Array, data: Chunk) -> Expansion:
    """One pass over the data: mean log and Hessian at a point; NaN if floats do not reach."""
    points, shares = data.records, _shares(data)
    xp = linalg.namespace(points)

    def part(rows: slice) -> tuple[Array, Callable[[Array], Array]]:
        with np.errstate(all="ignore"):
            log, hessian = space.log_and_hessian(at, points[rows, ...])
            share = linalg.as_column(shares[rows], log.ndim)
            return linalg.tree_sum(share * log), lambda v: xp.sum(share * hessian(v), axis=0)

    try:
        parts = list(in_threads(part, slices(points)))
    except np.linalg.LinAlgError:
        return Expansion(at, np.nan * at, np.nan, partial(np.multiply, np.nan))
    descent = linalg.tree_sum(xp.stack([log for log, _ in parts]))

    def hessian(v: Array) -> Array:
        pieces = list(in_threads(lambda p: p[1](v), parts))
        return sum(pieces[1:], start=pieces[0])

    return Expansion(at, descent, float(space.norm(at, descent)), hessian)


def _shares(data: Chunk) -> Array:
    """Return what each record counts for, in all 1."""
    if data.shares is not None:
        return data.shares / linalg.namespace(data.records).sum(data.shares)
    n = data.records.shape[0]
    return linalg.constant(np.full(n, 1.0 / n), data.records)


def newton_step(space: Space, here: Expansion, precision: float | None = None) -> Array:
    """Solve ``Hessian step = descent`` by conjugate gradients, loosely while far from the mean.

    ``precision`` is the share of the descent that may be left; by default it goes down with it.
    """
    goal = here.norm * (min(0.1, here.norm) if precision is None else precision)
    step = 0.0 * here.descent
    residual = direction = here.descent
    square = here.norm**2
    for _ in range(2 * space.dim):
        image = here.hessian(direction)
        curvature = float(space.inner(here.point, direction, image))
        if not curvature > 0:
            # Outside the convex region: the steepest descent is the safe direction.
            return here.descent
        step = step + (square / curvature) * direction
        residual = residual - (square / curvature) * image
        previous, square = square, float(space.inner(here.point, residual, residual))
        if square <= goal**2:
            break
        direction = residual + (square / previous) * direction
    return step
