"""Which width of a Riemannian Gaussian keeps a Gaussian mu, on constant curvature.

A width is searched for by quadrature in floats, and then its mu is proved: the test of two laws at
distance ``shift`` has one-dimensional errors once the direction is integrated out by an incomplete
beta function (docs/theory/riemannian-gaussian.md, section 2). Lengths are in units of the curvature
radius here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TypeAlias

import numpy as np

from geomdp.errors import MechanismRefusedError
from geomdp.intervals import Interval, interval, pi, precision
from geomdp.mechanisms.radial_cells import BITS
from geomdp.mechanisms.riemannian_certificate import Pair, certified_mu, mu_of_constant
from geomdp.typing import Array

#: Share of the directions that count, from distances and losses.
Share: TypeAlias = Callable[[Array, Array], Array]
#: Places and weights of a quadrature.
Nodes: TypeAlias = tuple[Array, Array]
#: How many there are.
NODES = 160
#: Tests with sizes below this are not resolved in floats.
RESOLVED = 1e-290
#: Largest mu that floats can certify.
MOST_MU = 12.0
#: Relative accuracy of the search, and what the certificate is expected to cost.
SLACK, PRICE = 1e-4, 4e-4
#: How far, relatively, a power law may be off where it stands for the curve of mu.
POWER_LAW = 0.01
#: Tests that a search looks at.
TESTS = 48
#: Widths that are tried for a certificate before the mechanism refuses.
ATTEMPTS = 8
#: Hyperbolic laws whose mass lies further out than this overflow.
FURTHEST = 300.0


@dataclass(frozen=True)
class TwoLaws(Pair):
    """The errors of tests between two laws, by quadrature in floats."""

    @cached_property
    def mode(self) -> float:
        """Distance from the footpoint at which the radial law peaks."""
        low, high = 0.0, np.pi if self.sphere else self.dim * (1 + self.sigma) ** 2
        for _ in range(80):
            t = (low + high) / 2
            slope = (self.dim - 1) / (np.tan(t) if self.sphere else np.tanh(t)) - t / self.sigma**2
            low, high = (t, high) if slope > 0 else (low, t)
        return float(low)

    @property
    def last_loss(self) -> float:
        """Largest privacy loss: finite on a sphere."""
        if not self.sphere:
            return float("inf")
        return self.shift * (2 * np.pi - self.shift) / (2 * self.sigma**2)

    def powers(self, losses: Array) -> tuple[Array, Array]:
        """Probabilities, under either law, that the privacy loss exceeds each of ``losses``."""
        drop, x = self.sigma**2 * losses / self.shift, _unit_nodes(NODES)
        near, far = np.abs(drop - self.shift / 2), drop + self.shift / 2
        end = np.minimum(np.maximum(far, self.mode) + 14 * self.sigma, self._end)
        half = np.pi - self.shift / 2 if self.sphere else float("inf")
        fall = self.sigma**2 * losses / (2 * half)
        first = self._integral(near, np.minimum(end, half - fall), x, self._share_above, losses)
        second = self._integral(far, np.minimum(end, half + fall), x, self._share_below, losses)
        # Where all directions count: near the footpoint, and on a sphere near the antipode.
        inside = np.where(drop < self.shift / 2, near, 0.0)
        first = first + self._integral(0.0 * near, inside, x, None, losses)
        if self.sphere:
            outside = np.minimum(half + fall, end)
            second = second + self._integral(outside, end, x, None, losses)
        zero = np.zeros(1)
        total = self._integral(
            zero, zero + min(self.mode + 14 * self.sigma, self._end), x, None, zero
        )
        return first / total, second / total

    def mu_of(self, losses: Array) -> Array:
        """Gaussian mu of the tests that reject beyond each loss; minus infinity if not resolved."""
        mu = _mu(*self.powers(losses))
        # If not even the test at loss 0 is resolved, nothing is known.
        return mu if mu[0] > -np.inf else np.full(mu.shape, np.inf)

    def rough_mu(self) -> float:
        """Largest mu of a few tests: what a search for a scale looks at."""
        return float(np.max(self.mu_of(self._tests(TESTS))))

    def certified_mu(self, most: float = float("inf")) -> float:
        """Mu that is proved for the whole trade-off curve; infinite where there is no proof.

        Above ``most`` it is only a guess: that it is too large.
        """
        return certified_mu(self, self.mode, self.rough_mu(), most)

    @property
    def _end(self) -> float:
        return float(np.pi) if self.sphere else float("inf")

    def _tests(self, count: int) -> Array:
        """Losses from 0 to the last that can be resolved."""
        rate = self.shift / self.sigma
        reach = rate * (22 + rate + (0.0 if self.sphere else (self.dim - 1) * self.sigma))
        return np.linspace(0.0, min(reach, self.last_loss * (1 - 1e-9)), count)

    def _integral(
        self, low: Array, high: Array, x: Nodes, share: Share | None, losses: Array
    ) -> Array:
        """Integrate the radial law times the share of directions, from ``low`` to ``high``."""
        width = np.maximum(high - low, 0.0)[:, None]
        # The map sin^2 makes square roots at both ends smooth.
        t = low[:, None] + width * np.sin(np.pi * x[0] / 2) ** 2
        step = width * np.pi / 2 * np.sin(np.pi * x[0]) * x[1]
        t = np.where(width > 0, t, 1.0)
        sine = np.sin(t) if self.sphere else np.sinh(t)
        peak = np.sin(self.mode) if self.sphere else np.sinh(self.mode)
        log = (self.dim - 1) * np.log(sine / peak) - (t**2 - self.mode**2) / (2 * self.sigma**2)
        part = 1.0 if share is None else share(t, losses[:, None])
        return np.sum(np.exp(log) * step * part, axis=1)

    def _share_above(self, t: Array, loss: Array) -> Array:
        """Share of directions whose loss exceeds ``loss``, at distance ``t``: formula (2)."""
        reach = t + self.shift + np.sqrt(t**2 + 2 * self.sigma**2 * loss)
        left = 2 * (self.shift * (t + self.shift / 2) - self.sigma**2 * loss) / reach
        return self._share(reach, left, t)

    def _share_below(self, t: Array, loss: Array) -> Array:
        """Share of directions whose loss is below ``-loss``, at distance ``t``: formula (3)."""
        other = np.sqrt(np.maximum(t**2 - 2 * self.sigma**2 * loss, 0.0))
        product = 2 * (self.shift * (t - self.shift / 2) - self.sigma**2 * loss)
        gap = other + np.abs(t - self.shift)
        return self._share(gap, product / gap, t)

    def _share(self, a: Array, b: Array, t: Array) -> Array:
        """Directions within an angle, by the product of two half-angle sines."""
        from scipy.special import betainc

        sine = np.sin if self.sphere else np.sinh
        cap = sine(a / 2) * sine(b / 2) / (sine(self.shift) * sine(t))
        half = (self.dim - 1) / 2
        return betainc(half, half, np.clip(cap, 0.0, 1.0))


@lru_cache(maxsize=64)
def width_for(dim: int, sphere: bool, shift: float, mu: float) -> tuple[float, float]:
    """Smallest width whose certified mu stays below the ``mu`` given, and that certified mu."""
    if not mu <= MOST_MU:
        raise MechanismRefusedError(
            f"The Riemannian Gaussian is calibrated up to mu = {MOST_MU:g}, not {mu:g}, where the "
            "errors of tests are too small for floating point; use wrapped-gaussian."
        )
    low = high = shift / mu / 4
    wanted = mu / (1 + PRICE)
    while _rough(dim, sphere, shift, high) > wanted:
        low, high = high, high * 1.5
        if not sphere and (dim - 1) * high**2 > FURTHEST:
            raise MechanismRefusedError(
                "No width of the Riemannian Gaussian gives this budget on this hyperbolic space, "
                "where wider noise hides no more; use a larger n, a smaller radius, a larger "
                "budget or wrapped-gaussian."
            )
    high = _bisected(partial(_rough, dim, sphere, shift), wanted, low, high)
    for _ in range(ATTEMPTS):
        certified = TwoLaws(dim, sphere, shift, high).certified_mu(mu)
        if 0 < certified <= mu:
            return high, certified
        high *= min(max(1 + SLACK, certified / mu), 2.0)
    raise MechanismRefusedError(
        "No mu of the Riemannian Gaussian could be certified for this budget; use wrapped-gaussian."
    )


def _bisected(rough: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Bisect for the width at which a rough mu falls to the one wanted, between two widths.

    The curve is nearly a power law, so that widths far from where that crosses need no look.
    """
    crossing, doubt = _crossing(rough, wanted, low, high) if low < high else (high, 0.0)
    while high / low > 1 + SLACK:
        middle = float(np.sqrt(low * high))
        beyond = float(np.log(middle / crossing))
        enough = beyond > 0 if abs(beyond) > doubt else rough(middle) <= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high


def _crossing(
    rough: Callable[[float], float], wanted: float, low: float, high: float
) -> tuple[float, float]:
    """Where a power law crosses, moved by what it misses there, and by how much that may be off."""
    ends = rough(low), rough(high)
    if not (wanted < ends[0] < np.inf and 0 < ends[1] <= wanted):
        return high, float("inf")
    slope = np.log(ends[1] / ends[0]) / np.log(high / low)
    guess = float(high * (wanted / ends[1]) ** (1 / slope))
    missed = float(np.log(rough(guess) / wanted) / slope)
    # Where a power law is far off, nothing is known of the curve.
    doubt = abs(missed) / 2 + SLACK / 100 if abs(missed) < POWER_LAW else float("inf")
    return guess * float(np.exp(-missed)), doubt


@lru_cache(maxsize=64)
def _rough(dim: int, sphere: bool, shift: float, sigma: float) -> float:
    return TwoLaws(dim, sphere, shift, sigma).rough_mu()


def _mu(above: Array, below: Array) -> Array:
    from scipy.special import ndtri

    resolved = below > RESOLVED
    safe = np.where(resolved, below, 0.5)
    return np.where(resolved, ndtri(np.minimum(above, 1.0)) - ndtri(safe), -np.inf)


@lru_cache(maxsize=4)
def _unit_nodes(count: int) -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


# --- which width of a Riemannian Gaussian on rotations keeps a Gaussian mu: in closed form


#: Dimension of the space.
DIM = 3
#: Widths that are tried for a certificate before the mechanism refuses.
PROJECTIVE_ATTEMPTS = 12


def projective_mu(shift: float, sigma: float) -> float:
    """Proved mu of two laws of width ``sigma`` at two points ``shift`` apart; infinite if none."""
    with precision(BITS):
        width = interval(sigma)
        spread, ratio = (DIM - 1) * width**2, interval(shift) / width
        return mu_of_constant(DIM, ratio, spread, constant_floor(width))


def constant_floor(sigma: Interval) -> Interval:
    """Lower bound of the law's constant, in units of that of a flat law of the same width."""
    # The flat law's mass beyond a quarter turn, where the space ends.
    cut = (pi() / 2) ** 2 / (2 * sigma**2)
    beyond = cut.gamma_upper(interval(DIM) / 2, regularized=1)
    return 1 - DIM * (DIM - 1) * sigma**2 / 6 - beyond


def projective_width_for(shift: float, mu: float) -> tuple[float, float]:
    """Return a width whose proved mu stays below the ``mu`` given, and that proved mu."""
    width = shift / mu
    for _ in range(PROJECTIVE_ATTEMPTS):
        certified = projective_mu(shift, width)
        if 0 < certified <= mu:
            return width, certified
        if not certified < np.inf:
            break
        width *= certified / mu * (1 + 1e-9)
    raise MechanismRefusedError(
        "No mu of the Riemannian Gaussian on rotations could be certified for this budget: its "
        "noise would reach around the space; use wrapped-gaussian, or a larger n."
    )
