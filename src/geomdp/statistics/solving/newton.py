"""Newton's method for the Fréchet mean, by Hessians in memory or by gradients of passes.

The Hessian of the mean squared distance is close to the identity inside a ball, so that conjugate
gradients solve Newton's equation in a few products and four passes over the data reach 1e-10.

Where passes give gradients alone, how these changed from pass to pass tells what the Hessian is
like (the updates of Broyden, Fletcher, Goldfarb and Shanno), on top of what was known before: the
identity where passes are cheap, the Hessian of a sample where they are not. That decides how fast
the passes converge, never where to.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from geomdp.runtime.threads import in_threads
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.solving.passes import Chunk, MeanResult, Passes, slices
from geomdp.typing import Array, HessianRoad

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


#: Passes after which the method gives up; few are needed.
MOST_PASSES = 40
#: Changes of the gradient that are remembered.
MOST_SECANTS = 20
#: How exactly Newton's equation is solved, far from the mean: the Hessian is not known better.
PRECISION = 1e-3
#: Products with a Hessian for one step; with all records' a few will do.
MOST_PRODUCTS = 30
#: A step up to which the Hessian of where it began serves for the next one, too.
SHORT = 1e-3


class Model(ABC):
    """What is known of the Hessian; tangent vectors come as rows of numbers that it chooses.

    Those of neighbouring points are compared as they are: the error is of second order in the step,
    like that of the secants themselves.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._secants: list[tuple[Array, Array, float]] = []

    def look(self, passes: Passes, point: Array) -> Array:
        """Return what stands for the mean log at a point, by one pass; NaN if floats fail."""
        mean = passes.mean_log(point, certified=False)
        return self.numbers(point, mean) if np.all(np.isfinite(np.asarray(mean))) else mean

    @abstractmethod
    def numbers(self, point: Array, v: Array) -> Array:
        """Return what stands for a tangent vector at a point."""

    @abstractmethod
    def follow(self, point: Array, step: Array) -> Array:
        """Where a step from a point leads, NaN if floats do not reach."""

    @abstractmethod
    def inner(self, u: Array, v: Array) -> float:
        """Inner product."""

    @abstractmethod
    def norm(self, point: Array, numbers: Array) -> float:
        """Length of a tangent vector at a point."""

    @abstractmethod
    def solve(self, descent: Array) -> Array:
        """Solve Newton's equation with what was known before the first pass."""

    def learn(self, step: Array, change: Array) -> None:
        """Learn that the Hessian takes this step to this change of the gradient."""
        curvature = self.inner(step, change)
        if curvature > 0:
            self._secants = [*self._secants[1 - MOST_SECANTS :], (step, change, curvature)]

    def step(self, descent: Array) -> Array:
        """Solve Newton's equation with all that is known."""
        shares = []
        for step, change, curvature in reversed(self._secants):
            shares.append(self.inner(step, descent) / curvature)
            descent = descent - shares[-1] * change
        result = self.solve(descent)
        for (step, change, curvature), share in zip(self._secants, reversed(shares), strict=True):
            result = result + (share - self.inner(change, result) / curvature) * step
        return result


class FrameModel(Model):
    """Starts from the identity, in frames that isometries carry along.

    For spaces whose isometries act linearly on tangent vectors, as all do that have fast sums.
    """

    def numbers(self, point: Array, v: Array) -> Array:  # noqa: D102
        return np.asarray(self.space.to_frame(self.space.move_back(point, v)))

    def follow(self, point: Array, step: Array) -> Array:  # noqa: D102
        return follow(self.space.frame_exp, point, step)

    def inner(self, u: Array, v: Array) -> float:  # noqa: D102
        return float(u @ v)

    def norm(self, point: Array, numbers: Array) -> float:  # noqa: D102
        return float(np.sqrt(numbers @ numbers))

    def solve(self, descent: Array) -> Array:
        """Take the identity, times what the last change tells of the Hessian's size."""
        if not self._secants:
            return descent
        _, change, curvature = self._secants[-1]
        return descent * (curvature / self.inner(change, change))


class HessianModel(FrameModel):
    """Takes the Hessian of all records from the first passes, which decompose them anyway.

    As the error of a step is then about its square, what a Hessian says of a short step is enough
    for the next one, too.
    """

    def __init__(self, space: Space, road: HessianRoad, tol: float) -> None:
        super().__init__(space)
        self._road, self._tol, self._last = road, tol, np.inf
        self._hessian: Callable[[Array], Array] = lambda v: v

    def look(self, passes: Passes, point: Array) -> Array:
        """Keep what the Hessian needs, too, unless the step that led here was short."""
        if self._last <= SHORT:
            return super().look(passes, point)
        self._secants = []
        numbers, self._hessian = passes.expand(self._road, point)
        return numbers

    def learn(self, step: Array, change: Array) -> None:
        """Learn only where the Hessian is not that of the point itself."""
        if self._last <= SHORT:
            super().learn(step, change)

    def solve(self, descent: Array) -> Array:
        """Solve Newton's equation by conjugate gradients, as exactly as the next pass is worth."""
        size = self._last = float(np.linalg.norm(descent))
        goal = max(size * min(PRECISION, size / 10), self._tol / 10)
        step, residual, square = 0.0 * descent, descent, size**2
        direction = residual
        for _ in range(MOST_PRODUCTS):
            image = self._hessian(direction)
            length = square / float(direction @ image)
            if not 0 < length < np.inf:
                return descent
            step, residual = step + length * direction, residual - length * image
            previous, square = square, float(residual @ residual)
            if square <= goal**2:
                break
            direction = residual + (square / previous) * direction
        return step


class SampleModel(Model):
    """Starts from the Hessian of a sample at its mean, by conjugate gradients."""

    def __init__(self, space: Space, sample: Expansion) -> None:
        super().__init__(space)
        self._sample = sample

    def numbers(self, point: Array, v: Array) -> Array:  # noqa: D102
        return v

    def follow(self, point: Array, step: Array) -> Array:  # noqa: D102
        return follow(self.space.exp, point, step)

    def norm(self, point: Array, numbers: Array) -> float:  # noqa: D102
        return float(self.space.norm(point, numbers))

    def inner(self, u: Array, v: Array) -> float:  # noqa: D102
        return float(self.space.inner(self._sample.point, u, v))

    def solve(self, descent: Array) -> Array:  # noqa: D102
        return newton_step(self.space, self._sample.towards(self.space, descent), PRECISION)


def quasi_newton(
    passes: Passes,
    model: Model,
    *,
    tol: float,
    start: Array,
    reduction: float = 0.0,
    certified: bool = False,
) -> MeanResult:
    """Go to the mean, one pass a step.

    It stops where the gradient is at most ``tol`` long, or at most the share ``reduction`` of that
    at the start. The best point found is returned: compare its gradient with ``tol``. Where that is
    to be ``certified``, the pass that is expected to be the last takes the formulas whose rounding
    is bounded.
    """
    point, surely = start, False
    best, best_surely = MeanResult(start, np.inf, 0), False
    descent = step = None
    for count in range(1, MOST_PASSES + 1):
        was, (numbers, norm) = surely, _look(passes, model, point, surely)
        if norm < best.gradient_norm:
            if step is not None and descent is not None:
                model.learn(step, descent - numbers)
            tol = max(tol, reduction * norm) if count == 1 else tol
            # As much as this step has gained, the next one will gain, or more.
            surely = certified and norm**2 <= tol * best.gradient_norm < np.inf
            descent, best, best_surely = numbers, MeanResult(point, norm, count), was
            if norm <= tol:
                break
            step = model.step(descent)
        elif step is None or norm <= 2 * tol:
            break  # no number to begin with, or as near as floats come
        else:
            step = step / 4
        point = model.follow(best.point, step)
    if certified and not best_surely:
        return passes.evaluate(best.point, count)
    return MeanResult(best.point, best.gradient_norm, count)


def _look(passes: Passes, model: Model, point: Array, surely: bool) -> tuple[Array, float]:
    """Return what stands for the mean log at a point, and its length: NaN where floats fail."""
    if surely:
        mean = passes.mean_log(point)
        length = float(passes.space.norm(point, mean))
        return (model.numbers(point, mean) if np.isfinite(length) else mean), length
    numbers = model.look(passes, point)
    # A step into overflow counts as no improvement.
    return numbers, model.norm(point, numbers) if np.all(
        np.isfinite(np.asarray(numbers))
    ) else np.nan
