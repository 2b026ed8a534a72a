"""The statistic ``TangentMean``: the mean of the records' logs at the ball's centre."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.forms import saving
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.statistics.base import STATISTICS, InBall
from geomdp.statistics.denoising import Rule, rule_in
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Moved, convexity
from geomdp.typing import Array

#: What a public form is used for, where a mean has one.
FORM_SHAPES = "the form shapes the ball, its noise and what the value is denoised by"
#: Nodes of the quadrature of a smooth function: exact to rounding.
NODES = 40


@dataclass(frozen=True, eq=False)
class TangentMean(InBall, LinearStatistic):
    """``exp(mean of log(x_i))`` at the centre of the ball, each log clipped to the radius.

    Its sensitivity is ``2 radius / n`` on every space, with equality. On a flat space it is the
    Fréchet mean; elsewhere it estimates another point, and :meth:`worst_case_bias` bounds how far
    that can be from the Fréchet mean (docs/theory/tangent-mean.md).

    Parameters
    ----------
    ball
        Public centre and radius.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = TangentMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0))
    >>> mean.sensitivity(100).value, round(mean.worst_case_bias(), 3)
    (0.02, 0.359)
    """

    ball: Ball
    tag: ClassVar[str] = "tangent-mean"
    proof: ClassVar[str] = "tangent-mean"

    @property
    def space(self) -> Space:
        """Where the records live."""
        return self.ball.space

    @property
    def value_space(self) -> Space:  # noqa: D102
        return self.space

    @property
    def radius(self) -> float:  # noqa: D102
        return self.ball.radius

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.space.dim)

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return self.shrinkage

    @cached_property
    def rule(self) -> Rule | None:
        """As the ball's denoiser says, or what is proved of noise in the ball."""
        return rule_in(self.ball)

    @property
    def flat(self) -> bool:  # noqa: D102
        round_one = self.ball.form is None
        return round_one and is_flat(self.space) and self.space.injectivity_radius == float("inf")

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, D) of the logs at the centre, none longer than the radius."""
        admitted = self.ball.admit(records)
        rows = self.coordinates(admitted.records)
        rows[list(admitted.invalid)] = 0.0  # the log of a centre is 0 but for rounding
        return Admitted(rows, admitted.invalid)

    def coordinates(self, points: Array) -> Array:
        """Coordinates (n, D) of the logs of clipped points, none longer than the radius.

        A point without a log, which clipping lets through on no ball that was tried, counts as the
        centre.
        """
        logs = decompositions.row_by_row(
            lambda rows: self.space.frame_log(self.ball.center, rows), points, (self.space.dim,)
        )
        logs = self.ball.whitened(logs)
        norms = linalg.row_norm(logs)
        shorter = logs * (self.radius / np.maximum(norms, self.radius))
        return np.where(np.isfinite(norms), shorter, 0.0)

    def decode(self, coordinates: Array) -> Array:
        """Points reached from the centre."""
        logs = self.ball.coloured(coordinates)
        return self.space.canonical(self.space.frame_exp(self.ball.center, logs))

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., D) of released points: the inverse of :meth:`decode`."""
        shape = self.space.point_shape
        rows = np.reshape(values, (-1, *shape))
        logs = self.ball.whitened(np.asarray(self.space.frame_log(self.ball.center, rows)))
        return np.reshape(logs, (*np.shape(values)[: np.ndim(values) - len(shape)], -1))

    def require_resolution(self, length: float) -> None:
        """Refuse noise so long that floats cannot tell where on a curved space it leads."""
        # Few draws are three times as long as their mean; e^600 is still a float.
        length *= self.ball.reach / self.radius
        reach = min(self.ball.reach + 3 * length, 300.0)
        if not self.flat and self.space.log_rounding(self.ball.center, reach) > length / 8:
            raise MechanismRefusedError(
                f"Noise of length {length:.3g} leads beyond the points of {self.space.spec} that "
                "floating point resolves; use a larger n, a larger budget or a smaller radius."
            )

    def error_of(self, noise: Array) -> Array:
        """Distances on the space: the larger of a mean at the centre and one at the boundary.

        Noise that goes round a compact space and comes back is counted as far as it went, up to the
        injectivity radius: so a forecast never falls with the budget (docs/theory/wrapped.md,
        "Forecasts").
        """
        if self.flat:
            return super().error_of(noise)
        edge = np.full(self.space.dim, self.radius / np.sqrt(self.space.dim))
        tried = [self._distances(at, noise) for at in (0.0 * edge, edge)]
        farthest = self.space.injectivity_radius
        if farthest == float("inf"):
            return max(tried, key=np.mean)
        went = np.linalg.norm(self.ball.coloured(noise), axis=-1)
        return np.maximum(max(tried, key=np.mean), np.minimum(went, farthest))

    def _distances(self, at: Array, noise: Array) -> Array:
        return np.asarray(self.space.dist(self.decode(at), self.decode(at + noise)))

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Those of the logs, times what the exponential map stretches where curvature is below 0.

        In a shaped ball a log is shortened by more than its length says: the excess by the form's
        widest axis, and a record down to its narrowest.
        """
        form, radius = self.ball.form, self.ball.radius
        axes = np.ones(1) if form is None else np.sqrt(np.linalg.eigvalsh(form))
        k_min, _ = self.space.curvature_bounds
        bend = float(np.sqrt(max(0.0, -k_min))) * outer
        with np.errstate(over="ignore"):
            stretch = float(np.sinh(bend) / bend) if bend > 0 else 1.0
        if not np.isfinite(stretch):
            return None
        inner = radius * float(axes[0])
        return Moved(stretch * max(0.0, outer - inner), stretch * float(axes[-1]))

    def worst_case_bias(self, length: float | None = None) -> float:
        """Largest distance from the Fréchet mean of the clipped records, over all data sets.

        Along the way from the centre to the tangent mean the gradient of the Fréchet energy misses
        0 by at most the integral of ``|Hess - 1|``; the gradient bounds the distance to the mean
        (docs/theory/tangent-mean.md).

        ``length`` is the distance of the tangent mean from the centre, where it is known.
        """
        radius = self.ball.reach
        way = radius if length is None else min(length, radius)
        k_min, k_max = self.space.curvature_bounds
        if (k_min, k_max) == (0.0, 0.0):
            return 0.0
        if self.ball.is_wide:
            # The mean distance of the records from a Fréchet mean is at most that from the centre,
            # at most r, so that it lies within 2r of the centre, and the tangent mean within r.
            return min(3 * radius, self.space.farthest)
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        s = radius + way * (0.5 + nodes / 2)
        gradient = float(np.sum(weights * _hessian_gap(s, k_min, k_max)) * way / 2)
        try:
            modulus = convexity(radius, k_max, gradient)
        except GeomdpError:
            return 2 * radius
        return min(2 * radius, gradient / modulus)

    @property
    def bias_note(self) -> str:  # noqa: D102
        if is_flat(self.space):
            return ""
        return (
            "distance to the tangent mean; the Fréchet mean of the clipped records is at most "
            f"{self.worst_case_bias():.3g} away from that"
        )

    def forecast_note(self, scale: float) -> str:
        """Add what a form saves, from public things alone."""
        return "; ".join(filter(None, (self.bias_note, self.form_note)))

    @property
    def form_note(self) -> str:
        """Say what a round ball would cost; empty where the ball is one."""
        if self.ball.form is None:
            return ""
        return (
            f"{FORM_SHAPES}; if records vary as the form says, a round ball that holds as many "
            f"would have {saving(self.ball.form):.3g} times this error"
        )

    def describe(self) -> str:  # noqa: D102
        return (
            f"tangent mean (not the Fréchet mean, unless flat) on {self.space.spec}, "
            f"{'' if self.ball.form is None else 'shaped '}ball of radius {self.radius:.6g}"
        )


def is_flat(space: Space) -> bool:
    """Tell whether all sectional curvatures are 0, so that the tangent mean is the Fréchet mean."""
    return space.curvature_bounds == (0.0, 0.0)


def _hessian_gap(s: Array, k_min: float, k_max: float) -> Array:
    """Largest ``|Hess - 1|`` of half the squared distance at distance ``s``."""
    low, high = np.sqrt(max(0.0, -k_min)) * s, np.sqrt(max(0.0, k_max)) * s
    above = low / np.tanh(low) - 1 if k_min < 0 else 0.0 * s
    below = 1 - high / np.tan(high) if k_max > 0 else 0.0 * s
    return np.maximum(above, below)


STATISTICS.register(TangentMean.tag, TangentMean)
