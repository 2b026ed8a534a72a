"""What follows from a released mean distribution: a distribution, a band, shares in words.

Proofs: docs/theory/distributions.md, section 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.curves.distributions import DistributionMean
from geomdp.errors import GeomdpError
from geomdp.plans.release import PAGES, Release
from geomdp.runtime.surroundings import undisturbed
from geomdp.typing import Floats

#: File beside the value: levels, quantiles and band.
QUANTILES = "quantiles.csv"
#: Draws of the noise, public and seeded, by which a band is made wide enough.
DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Share:
    """A share, or an amount of the whole, with the ends of its band."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True, eq=False)
class DistributionEstimate:
    """A mean distribution by its quantile function, with a band that holds all of it.

    Attributes
    ----------
    statistic
        What was asked.
    places
        Levels (M,) of the quantiles.
    quantiles
        Of the mean distribution, fitted to what was released; never falling, within the range.
    lower, upper
        Band (M,) that holds the mean of the clipped distributions everywhere at once.
    level
        With this probability over the noise.
    """

    statistic: DistributionMean
    places: Floats
    quantiles: Floats
    lower: Floats
    upper: Floats
    level: float

    def share_above(self, threshold: float, of: float = 1.0) -> Share:
        """Return what part of the mean distribution lies above a threshold.

        ``of`` is the whole: 24 for hours of a day. It is the barycentre's share, which is not the
        mean of the persons' shares.
        """
        parts = (np.mean(line > threshold) for line in (self.quantiles, self.lower, self.upper))
        return Share(*(of * float(part) for part in parts))

    def quantile(self, level: float) -> Share:
        """Return the value below which a part of the readings lies."""
        lines = (self.quantiles, self.lower, self.upper)
        return Share(*(float(np.interp(level, self.places, line)) for line in lines))

    def describe(self) -> str:
        """Say it in a sentence."""
        middle = self.quantile(0.5)
        told = [
            f"above {t:g}: {100 * s.value:.3g}% ({100 * s.low:.3g}% to {100 * s.high:.3g}%)"
            for t in self.statistic.above
            for s in [self.share_above(t)]
        ]
        return "; ".join([f"half of the mean distribution lies below {middle}", *told])


@undisturbed()
def distribution_of(release: Release, level: float = LEVEL) -> DistributionEstimate:
    """Read the mean distribution off a release, with a band: no further cost.

    Parameters
    ----------
    release
        Of ``DistributionMean``; of a plan by group, a part.
    level
        Of the band.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.DistributionMean(0, 1), n=500, budget=dp.GDP(1))
    >>> readings = np.random.default_rng(0).beta(2, 3, (500, 50))
    >>> found = distribution_of(plan.release(readings))
    >>> 0.2 < found.share_above(0.5).value < 0.45, bool(np.all(found.lower <= found.upper))
    (True, True)
    """
    last = release.answer
    asked: Any = last.plan.statistic
    if not last.plan.one_value or not hasattr(asked, "nearest"):
        raise GeomdpError(
            "Only a mean distribution has quantiles; of a plan by group, take a part."
        )
    if not 0 < level < 1:
        raise GeomdpError(f"A level lies between 0 and 1, not {level}.")
    plan, value = last.plan.single, np.asarray(last.value)
    deviation = plan.noise_deviation
    noise = plan.simulate(asked.public_record, size=DRAWS) - asked.public_value
    with np.errstate(all="ignore"):
        drawn = asked.to_coordinates(noise + asked.public_value) / asked.noise_profile
        wide = float(np.sqrt(np.mean(drawn**2))) if deviation is None else deviation
        found = asked.denoised(value, wide)
        lower, upper = _band(asked, value, noise, level)
    # Where noise beyond the band's level has crossed its lines, they meet at the quantiles.
    lower, upper = np.minimum(lower, found), np.maximum(upper, found)
    return DistributionEstimate(asked, asked.places, found, lower, upper, level)


def _band(
    asked: DistributionMean, value: Floats, noise: Floats, level: float
) -> tuple[Floats, Floats]:
    """Lines below and above all monotone functions that the noise does not rule out."""
    size = asked.points
    windows = 2 ** np.arange(int(np.log2(size)) + 1) if asked.terms is None else np.array([1])
    means = {int(w): _window_means(noise, int(w)) for w in windows}
    spread = {w: np.sqrt(np.mean(one**2, axis=0)) for w, one in means.items()}
    largest = np.max([np.max(np.abs(m) / spread[w], axis=1) for w, m in means.items()], axis=0)
    wide = float(np.quantile(largest, level))
    lower, upper = np.full(size, float(asked.low)), np.full(size, float(asked.high))
    for w in means:
        middle = _window_means(value[None], w)[0]
        # A function that never falls is at the end of a window at least its mean over it.
        lower[w - 1 :] = np.maximum(lower[w - 1 :], middle - wide * spread[w])
        upper[: size - w + 1] = np.minimum(upper[: size - w + 1], middle + wide * spread[w])
    lower = np.maximum.accumulate(np.clip(lower, asked.low, asked.high))
    upper = np.minimum.accumulate(np.clip(upper, asked.low, asked.high)[::-1])[::-1]
    return lower, upper


def _window_means(rows: Floats, width: int) -> Floats:
    sums = np.cumsum(np.pad(rows, ((0, 0), (1, 0))), axis=1)
    return (sums[:, width:] - sums[:, :-width]) / width


@dataclass(frozen=True, eq=False)
class DistributionDifference:
    """How one mean distribution differs from another.

    Attributes
    ----------
    quantiles, lower, upper
        First less second (M,), with a band for all of it at once.
    distance
        Wasserstein distance of the two as fitted; noise alone makes it positive.
    """

    first: DistributionEstimate
    second: DistributionEstimate
    quantiles: Floats
    lower: Floats
    upper: Floats
    distance: float

    def share_above(self, threshold: float, of: float = 1.0) -> Share:
        """Return how much more of the first lies above a threshold."""
        one, other = (x.share_above(threshold, of) for x in (self.first, self.second))
        return Share(one.value - other.value, one.low - other.high, one.high - other.low)

    @property
    def differ(self) -> bool:
        """Whether the band excludes 0 somewhere."""
        return bool(np.any((self.lower > 0) | (self.upper < 0)))


def compare_distributions(
    first: Release, second: Release, level: float = LEVEL
) -> DistributionDifference:
    """Compare two released mean distributions, of two groups or data sets: no further cost."""
    one, other = (distribution_of(x, level**0.5) for x in (first, second))
    if not np.array_equal(one.places, other.places):
        raise GeomdpError("Distributions are compared at the same points; plan both alike.")
    off = one.quantiles - other.quantiles
    lower, upper = one.lower - other.upper, one.upper - other.lower
    far = float(np.sqrt(np.mean(off**2)))
    return DistributionDifference(one, other, off, lower, upper, far)


def quantiles_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the file of quantiles; empty where a release has none; never an error."""
    try:
        found = distribution_of(release)
        lines = np.column_stack([found.places, found.quantiles, found.lower, found.upper])
        rows = [",".join(f"{number:.9g}" for number in line) for line in lines.tolist()]
        return "\n".join(["level,quantile,lower,upper", *rows, ""])
    except Exception:  # the value is drawn, nothing may fail
        return ""


PAGES.register(QUANTILES, quantiles_text)
