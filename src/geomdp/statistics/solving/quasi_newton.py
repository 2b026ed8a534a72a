"""Newton's method where passes over the data give gradients alone.

How the gradient changed from pass to pass tells what the Hessian is like (the updates of Broyden,
Fletcher, Goldfarb and Shanno), on top of what was known before: the identity where passes are
cheap, the Hessian of a sample where they are not. That decides how fast the passes converge, never
where to.
"""

from abc import ABC, abstractmethod

import numpy as np

from geomdp.spaces.base import Space
from geomdp.statistics.solving.newton import Expansion, follow, newton_step
from geomdp.statistics.solving.passes import MeanResult, Passes
from geomdp.typing import Array

#: Passes after which the method gives up; few are needed.
MOST_PASSES = 40
#: Changes of the gradient that are remembered.
MOST_SECANTS = 20
#: How exactly the sample's equation is solved: its Hessian is not known better.
PRECISION = 1e-3


class Model(ABC):
    """What is known of the Hessian; tangent vectors come as rows of numbers that it chooses.

    Those of neighbouring points are compared as they are: the error is of second order in the step,
    like that of the secants themselves.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._secants: list[tuple[Array, Array, float]] = []

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
    passes: Passes, model: Model, *, tol: float, start: Array, reduction: float = 0.0
) -> MeanResult:
    """Go to the mean, one pass a step.

    Parameters
    ----------
    passes
        All records.
    model
        What is known of the Hessian; learns on the way.
    tol
        Stop when the gradient is at most this long.
    start
        Where to start.
    reduction
        Stop also where the gradient is at most this share of that at the start.

    Returns
    -------
    MeanResult
        The best point found; compare its gradient with ``tol``.

    Examples
    --------
    >>> import geomdp as dp
    >>> points = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> passes = Passes.over(dp.Sphere(2), points)
    >>> found = quasi_newton(passes, FrameModel(dp.Sphere(2)), tol=1e-9, start=points[0])
    >>> (found.point.round(6) + 0.0).tolist()
    [0.707107, 0.707107, 0.0]
    """
    point = start
    best = MeanResult(start, np.inf, 0)
    descent = step = None
    for count in range(1, MOST_PASSES + 1):
        mean = passes.mean_log(point, certified=False)
        # A step into overflow counts as no improvement.
        finite = bool(np.all(np.isfinite(np.asarray(mean))))
        numbers = model.numbers(point, mean) if finite else mean
        norm = model.norm(point, numbers) if finite else np.nan
        if norm < best.gradient_norm:
            if step is not None and descent is not None:
                model.learn(step, descent - numbers)
            tol = max(tol, reduction * norm) if count == 1 else tol
            descent, best = numbers, MeanResult(point, norm, count)
            if norm <= tol:
                break
            step = model.step(descent)
        elif step is None or norm <= 2 * tol:
            break  # no number to begin with, or as near as floats come
        else:
            step = step / 4
        point = model.follow(best.point, step)
    return MeanResult(best.point, best.gradient_norm, count)
