"""Spaces that are a total chart and nothing else: for tangent means and what is made of them."""

from abc import abstractmethod
from typing import Any, NoReturn

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.typing import Array


class ChartSpace(Space):
    """A space with a log and an exponential at regular centres, without a bound on its curvature.

    Tangent means, moments, regressions and balls found privately need no more
    (docs/theory/charts.md). A new one fills in :meth:`exp`, :meth:`log`, :meth:`dist`
    and :meth:`frame`, and :meth:`inner` where it is no sum of products of numbers.
    """

    chart_only = True
    #: No upper bound: the curvature grows without limit near singular points.
    curvature_bounds = (0.0, float("inf"))
    injectivity_radius = float("inf")

    def inner(self, p: Array, u: Array, v: Array) -> Array:
        """Sum of the products of the numbers, unless a space has another."""
        return np.sum(u * v, axis=tuple(range(-len(self.point_shape), 0)))

    @abstractmethod
    def frame(self, p: Array) -> Array:
        """Orthonormal tangent vectors (dim, *point_shape) at one regular point: of it alone."""

    def frame_log(self, p: Array, x: Array) -> Array:
        """Coordinates of ``log(p, x)`` in the frame at one point ``p``."""
        log, frame = self.log(p, x), self.frame(p)
        if type(self).inner is not ChartSpace.inner:
            return np.stack([self.inner(p, log, vector) for vector in frame], axis=-1)
        rows = log.reshape((*log.shape[: -len(self.point_shape)], -1))
        return linalg.row_product(rows, frame.reshape(self.dim, -1).T)

    def frame_exp(self, p: Array, coordinates: Array) -> Array:
        """Point that the velocity with these coordinates leads to."""
        flat = linalg.row_product(coordinates, self.frame(p).reshape(self.dim, -1))
        return self.exp(p, flat.reshape((*coordinates.shape[:-1], *self.point_shape)))

    def coordinates(self, x: Array) -> Array:
        """Return the numbers of the point."""
        return x.reshape((*x.shape[: -len(self.point_shape)], -1))

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        return self.canonical(coordinates.reshape((*coordinates.shape[:-1], *self.point_shape)))

    # --- what a chart does not have -------------------------------------------------------------

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise InvalidBallError(only_a_chart(self))

    transport = log_and_hessian = from_frame = to_frame = move = move_back = _refuse
    log_volume_density = _refuse


def only_a_chart(space: Space) -> str:
    """Say in one sentence what a chart does not serve."""
    return (
        f"{space.spec} is a chart without a bound on its curvature, so that it serves TangentMean, "
        "Moments, Regression and balls found for them (--statistic tangent-mean, say), but not "
        "Fréchet means, Laplace noise or KNG."
    )
