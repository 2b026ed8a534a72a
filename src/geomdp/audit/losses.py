"""The privacy loss of two released laws, mechanism by mechanism, from their densities.

The densities are those of the proof pages: docs/theory/laplace.md, laplace-ball.md, kng.md,
wrapped.md, riemannian-gaussian.md, lattice-gaussian.md, private-ball.md. An audit uses them to
choose events and to say how much a pair of data sets can leak at most; its lower bounds rest on
counts alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from geomdp.audit.deltas import gaussian_delta, laplace_delta
from geomdp.audit.neighbours import Pair
from geomdp.audit.restricted import log_constant
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import spreads_of
from geomdp.mechanisms.riemannian_mu import TwoLaws
from geomdp.mechanisms.wrapped import mean_coordinates, tangent_of, works_in_coordinates
from geomdp.noise.discrete_exponential import probabilities
from geomdp.noise.kng_law import gradient_norms
from geomdp.plans import SinglePlan
from geomdp.spaces.sphere import Sphere
from geomdp.statistics.capabilities import Invertible
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class PairLaw:
    """Log density ratio of the two laws of a pair, and what bounds it.

    Attributes
    ----------
    log_ratio
        Of values (m, ...), up to a constant that :attr:`constant` holds where it is known.
    size
        Loss of the pair in the plan's own currency (epsilon or mu), the constant left out.
    constant
        Log of the second law's constant over the first's; None where only draws can tell.
    delta
        Exact delta at an epsilon, the same in both directions; None where only draws can tell.
    """

    log_ratio: Callable[[Array], Array]
    size: float
    constant: float | None = 0.0
    delta: Callable[[float], float] | None = None

    def exact(self, first: Array, second: Array) -> float:
        """Return the loss of the pair: the sum of :meth:`parts`."""
        return sum(self.parts(first, second))

    def parts(self, first: Array, second: Array) -> tuple[float, float]:
        """Return what exponents and constants add to the loss, from draws where needed.

        Without a formula for the constants, their ratio is the mean of exp(-log ratio) over draws
        of the first law, and the supremum is the largest value at any draw.
        """
        if self.constant is not None:
            return self.size, abs(self.constant)
        here, there = self.log_ratio(first), self.log_ratio(second)
        ratio = float(np.log(np.mean(np.exp(-here))))
        seen = np.concatenate([here, there])
        return max((float(np.max(seen)), ratio), (float(np.max(-seen)), -ratio), key=sum)


def law_of(plan: SinglePlan, pair: Pair) -> PairLaw | None:
    """Return the two laws of a pair; None where neither we nor the mechanism state them.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.audit.neighbours import pairs
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    >>> round(law_of(plan, pairs(plan)[0]).size, 6)
    1.0
    """
    if isinstance(plan.statistic, Cover):
        return _radii(plan.statistic, plan.calibration.request.epsilon, pair)
    if plan.mechanism in LAWS:
        return LAWS[plan.mechanism](plan, pair)
    ratio = plan._mechanism.log_ratio(plan.calibration, *pair.sets)
    # Draws tell how large it gets, and the constant that it leaves out.
    return None if ratio is None else PairLaw(ratio, 0.0, None)


def _laplace(plan: SinglePlan, pair: Pair) -> PairLaw:
    in_coordinates = works_in_coordinates(plan.calibration.request)
    return (_laplace_in_coordinates if in_coordinates else _radial)(plan, pair)


def _radial(plan: SinglePlan, pair: Pair) -> PairLaw:
    """Laws of the distance from the mean: Laplace, restricted or not, and Riemannian Gaussian."""
    calibration, space, scale = plan.calibration, plan.calibration.space, plan.scale
    here, there = (calibration.estimate(encoded) for encoded in pair.sets)
    apart = float(space.dist(here, there))

    def laplace(values: Array) -> Array:
        return np.asarray(space.dist(there, values) - space.dist(here, values)) / scale

    if plan.mechanism == "riemannian-gaussian":
        root = float(np.sqrt(abs(space.curvature_bounds[0])))
        two = TwoLaws(space.dim, isinstance(space, Sphere), apart * root, scale * root)

        def gaussian(values: Array) -> Array:
            squares = np.asarray(space.dist(there, values) ** 2 - space.dist(here, values) ** 2)
            return squares / (2 * scale**2)

        return PairLaw(gaussian, two.rough_mu() if apart > 0 else 0.0)
    if plan.mechanism != "laplace-ball":
        return PairLaw(laplace, apart / scale)
    return PairLaw(laplace, apart / scale, _constant(plan, here, there))


def _constant(plan: SinglePlan, here: Array, there: Array) -> float | None:
    """Log ratio of the constants of two restricted Laplace laws; None where curvature varies."""
    ball = plan.calibration.ball
    low, high = ball.space.curvature_bounds
    if low != high:
        return None
    offsets = (float(ball.space.dist(ball.center, at)) for at in (here, there))
    logs = [log_constant(ball, min(offset, ball.radius), plan.scale) for offset in offsets]
    return logs[1] - logs[0]


def _laplace_in_coordinates(plan: SinglePlan, pair: Pair) -> PairLaw:
    """Return flat Laplace laws, in units of the statistic's noise profile."""
    linear = _linear(plan)
    unit = linear.noise_profile if plan.mechanism == "linear-laplace" else 1.0
    here, there = (footpoint(plan, encoded) / unit for encoded in pair.sets)
    back = coordinates_of(linear)

    def log_ratio(values: Array) -> Array:
        y = back(values) / unit
        far, near = (np.sqrt(np.sum((y - at) ** 2, axis=-1)) for at in (there, here))
        return (far - near) / plan.scale

    loss = float(np.linalg.norm(here - there)) / plan.scale
    return PairLaw(log_ratio, loss, delta=partial(laplace_delta, len(here), loss))


def _gaussian(plan: SinglePlan, pair: Pair) -> PairLaw:
    linear = _linear(plan)
    here, there = (footpoint(plan, encoded) for encoded in pair.sets)
    spreads = spreads_of(linear, plan.scale)
    back, weights = coordinates_of(linear), (here - there) / spreads**2

    def log_ratio(values: Array) -> Array:
        return (back(values) - (here + there) / 2) @ weights

    mu = float(np.linalg.norm((here - there) / spreads))
    return PairLaw(log_ratio, mu, delta=partial(gaussian_delta, mu))


def _radii(asked: Cover, epsilon: Fraction, pair: Pair) -> PairLaw:
    """Two laws on a grid of radii, known exactly."""
    laws = [probabilities(asked.weights(encoded, epsilon)) for encoded in (pair.first, pair.second)]
    with np.errstate(divide="ignore", invalid="ignore"):  # a radius that neither draws
        ratios = np.log(laws[0]) - np.log(laws[1])

    def log_ratio(values: Array) -> Array:
        return np.asarray(ratios[np.searchsorted(-asked.radii, -values[:, 0])])

    def delta(at: float) -> float:
        over = (np.maximum(p - np.exp(at) * q, 0.0) for p, q in (laws, laws[::-1]))
        return float(max(np.sum(part) for part in over))

    possible = (laws[0] > 0) & (laws[1] > 0)
    return PairLaw(log_ratio, float(np.max(np.abs(ratios[possible]))), delta=delta)


def _kng(plan: SinglePlan, pair: Pair) -> PairLaw:
    space, calibration = plan.calibration.space, plan.calibration
    sets = pair.first, pair.second

    def log_ratio(values: Array) -> Array:
        here, there = (gradient_norms(space, values, encoded) for encoded in sets)
        return (there - here) / plan.scale

    means = np.stack([calibration.estimate(encoded) for encoded in pair.sets])
    # On flat spaces the gradient is the difference from the mean: a restricted Laplace law.
    flat = space.curvature_bounds == (0.0, 0.0)
    constant = _constant(plan, means[0], means[1]) if flat else None
    return PairLaw(log_ratio, float(np.max(np.abs(log_ratio(means)))), constant)


def _linear(plan: SinglePlan) -> LinearStatistic:
    """Return the coordinates that noise is added in."""
    view = plan.statistic.as_linear()
    return tangent_of(plan.mechanism, plan.calibration.request) if view is None else view[0]


def footpoint(plan: SinglePlan, encoded: Encoded) -> Array:
    """Coordinates that noise is added to, as floats."""
    return np.array([float(mean) for mean in mean_coordinates(plan.calibration, encoded)])


def coordinates_of(linear: LinearStatistic) -> Callable[[Array], Array]:
    """Inverse of ``decode``."""
    if isinstance(linear, Invertible):
        return linear.to_coordinates
    raise GeomdpError(f"An audit needs to_coordinates, the inverse of decode, of {linear.tag}.")


#: Our own mechanisms' laws, written apart from them so that an audit does not believe what it
#: checks. Others state a ``log_ratio`` of their own, or none is known.
LAWS: dict[str, Callable[[SinglePlan, Pair], PairLaw]] = {
    "kng": _kng,
    "laplace": _laplace,
    "laplace-ball": _radial,
    "riemannian-gaussian": _radial,
    "tangent-gaussian": _gaussian,
    "wrapped-gaussian": _gaussian,
    "wrapped-laplace": _laplace_in_coordinates,
    "linear-laplace": _laplace_in_coordinates,
}
