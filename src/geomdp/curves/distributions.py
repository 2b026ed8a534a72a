"""The statistic ``DistributionMean``: a record is one person's distribution of a number.

It counts by its quantile function at the midpoints of M equal parts of (0, 1), clipped to a public
range. The mean is the Wasserstein barycentre. Proofs: docs/theory/distributions.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.curves.clipped_curves import frozen
from geomdp.curves.grids import IntervalGrid
from geomdp.curves.penalty import TYPICAL_PART, noise_variance
from geomdp.curves.quantiles import LARGEST_END, MOST_POINTS, WrittenDistributions, increasing
from geomdp.curves.released import ByDegree
from geomdp.curves.rising import BASIS_BITS, Rising
from geomdp.curves.spectrum import Smoothness, leading, polynomials
from geomdp.errors import GeomdpError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted
from geomdp.spaces.numerics import linalg
from geomdp.statistics.base import STATISTICS, CheckFindings
from geomdp.statistics.pooling import LARGEST
from geomdp.statistics.sensitivity import Moved
from geomdp.typing import Array, Floats


@dataclass(frozen=True, eq=False)
class DistributionMean(WrittenDistributions):
    """Mean distribution of persons: the quantile function that is the mean of theirs.

    All distributions on a range [low, high] lie within half of its length of the middle, so that no
    ball is needed; one that is known makes the noise smaller. Values outside the range are clipped.

    Parameters
    ----------
    low, high
        Public range of a reading.
    points
        Number M of midpoints at which quantile functions are taken.
    center
        Public quantile function (M,) in the middle of a declared ball, or ``"uniform"``; by default
        the middle of the range.
    tau
        Public radius of that ball in Wasserstein distance; by default half of the range.
    bins
        Public edges, where a record is a histogram: one count a bin.
    levels
        Public levels, where a record is a row of quantiles; a number k where it is a row of k
        readings. With neither, a record is its readings, however many, as files hold them one a row
        (``Unit.person()`` gathers those of a person).
    above
        Public thresholds of which pages say what share of readings lies above.
    terms
        Number of polynomials that are kept; by default all, under a pure budget the plan's choice.
    rising
        Whether noise counts on functions that never fall, which differ around their mean by less
        than vectors of a ball: what plans of a mean choose.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = DistributionMean(40, 400)
    >>> mean.sensitivity(100).value
    3.6
    >>> made = dp.plan(mean, n=300, budget=dp.GDP(1))
    >>> readings = [[90, 110, 150, 260]] * 150 + [[100.0, float("nan")]] * 150
    >>> dp.distribution_of(made.release(readings)).quantiles.shape
    (200,)
    """

    low: float
    high: float
    points: int = 200
    center: Any = None
    tau: float | None = None
    bins: Any = None
    levels: Any = None
    above: tuple[float, ...] = ()
    terms: int | None = None
    rising: bool = False
    weights: ClassVar[float] = 1.0  # one channel, for regressions
    record_bits: ClassVar[int] = 26
    tag: ClassVar[str] = "distribution-mean"
    proof: ClassVar[str] = "distributions"
    section: ClassVar[str] = "distribution"
    records_name: ClassVar[str] = "distributions"
    value_is_record: ClassVar[bool] = False
    value_note: ClassVar[str] = (
        "These are the quantile function with its noise; quantiles.csv holds the distribution that "
        "is made of it, which does not fall and stays in the range."
    )

    def __post_init__(self) -> None:
        if not -LARGEST_END < self.low < self.high < LARGEST_END:
            raise GeomdpError(
                f"A range goes from a lower to a higher number, not from {self.low} to {self.high}."
            )
        if not 2 <= self.points <= MOST_POINTS:
            raise GeomdpError(f"A distribution has 2 to {MOST_POINTS} points, not {self.points}.")
        tau = (self.high - self.low) / 2 if self.tau is None else float(self.tau)
        if not 0 < tau <= self.high - self.low:
            raise GeomdpError(f"tau is positive and at most the range, not {self.tau}.")
        if self.terms is not None and not 1 <= self.terms <= self.points:
            raise GeomdpError(f"There are 1 to {self.points} terms, not {self.terms}.")
        if self.bins is not None and self.levels is not None:
            raise GeomdpError("A record is a histogram (bins) or quantiles (levels), not both.")
        for name, number in (("low", self.low), ("high", self.high), ("tau", tau)):
            object.__setattr__(self, name, float(number))
        object.__setattr__(self, "center", self._as_center())
        object.__setattr__(self, "above", tuple(float(one) for one in self.above))
        for name, least in (("bins", 2), ("levels", 1)):
            given = getattr(self, name)
            if given is not None and np.ndim(given):
                object.__setattr__(self, name, increasing(name, given, least))
        if np.ndim(self.levels) == 0 and self.levels is not None and not self.levels >= 1:
            raise GeomdpError(f"A row holds at least 1 reading, not {self.levels}.")
        if np.ndim(self.levels) and not 0 < self.levels[0] <= self.levels[-1] < 1:
            raise GeomdpError("Levels of quantiles lie between 0 and 1.")

    def _as_center(self) -> Floats:
        width = self.high - self.low
        if self.center is None:
            return frozen(np.full(self.points, self.low + width / 2))
        if isinstance(self.center, str) and self.center == "uniform":
            return frozen(self.low + width * self.places)
        at = np.asarray(self.center, dtype=np.float64)
        inside = at.shape == (self.points,) and self.low <= at[0] <= at[-1] <= self.high
        if not inside or not np.all(np.diff(at) >= 0):
            raise GeomdpError(f"A centre is {self.points} numbers of the range that never fall.")
        return frozen(at)

    # --- what the release path needs ------------------------------------------------------------

    @cached_property
    def places(self) -> Floats:
        """Midpoints (M,) of equal parts of (0, 1)."""
        return frozen((np.arange(self.points) + 0.5) / self.points)

    @cached_property
    def basis(self) -> Floats:
        """Orthonormal rows (terms, M): polynomials by degree, and where all are kept the rest."""
        return polynomials(self.points)[: self.terms]

    @property
    def radius(self) -> float:
        """The bound in Wasserstein distance."""
        assert self.tau is not None
        return self.tau

    @cached_property
    def door(self) -> Rising:
        """What makes functions that never fall of integer vectors."""
        width = self.high - self.low
        return Rising(self.center - self.low, width, self.radius, self.record_bits)

    @property
    def blocks(self) -> tuple[int, ...]:
        """A function's own numbers where it is to rise, else coordinates."""
        return (self.points if self.rising else len(self.basis),)

    @cached_property
    def shrinkage(self) -> Floats:
        """Rows of the basis are integers where sums are of functions."""
        return np.full(len(self.basis), 2.0**-BASIS_BITS if self.rising else 1.0)

    @cached_property
    def noise_profile(self) -> Floats:
        """More on the mean than on what lies around it, where functions rise."""
        size = len(self.basis)
        return self.door.profile(size) if self.rising else np.ones(size)

    @property
    def largest(self) -> NDArray[np.intp]:
        """Integer rows of the basis have this length, and a little for rounding."""
        return np.full(len(self.basis), 2**BASIS_BITS + 2**20 if self.rising else 1)

    @property
    def diameter(self) -> Fraction:
        """Twice the radius, or by the theorem on functions that never fall."""
        return self.door.diameter if self.rising else super().diameter

    @property
    def reach_squared(self) -> Fraction:  # noqa: D102
        return self.door.reach_squared if self.rising else super().reach_squared

    def kept_short(self, vectors: Any, square: int) -> Any:
        """Keep integer vectors those of functions that never fall, within the range."""
        return self.door.kept(vectors, square) if self.rising else vectors

    def integer_sums(self, vectors: Any) -> Any:  # noqa: D102
        return self.door.sums(vectors, len(self.basis)) if self.rising else vectors.sum(axis=0)

    @property
    def extremes(self) -> Floats:
        """Steps at tenths, in the ball: the theorem's worst pair lies between two steps."""
        steps = np.where(self.places > np.arange(11)[:, None] / 10, self.high, self.low)
        away = (steps - self.center) / np.sqrt(self.points)
        away = away * np.minimum(1.0, (1 - 1e-12) * self.radius / linalg.row_norm(away))
        return away if self.rising else linalg.row_product(away, self.basis.T)

    def mean_coordinates(self, encoded: Any) -> Floats:  # noqa: D102
        mean = np.mean(np.asarray(encoded), axis=0)
        return np.asarray(self.basis @ mean if self.rising else mean)

    @property
    def flat(self) -> bool:  # noqa: D102
        return False

    @property
    def public_record(self) -> Floats:
        """The centre, as records are written."""
        return np.asarray(self.records_at(np.zeros((1, self.vector_dim)))[0])

    @property
    def public_value(self) -> Floats:
        """The centre."""
        return np.array(self.center)

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, D) of quantile functions about the centre, none longer than tau."""
        found = self._vectors(records)
        lengths = np.maximum(linalg.row_norm(found.records), self.radius)
        return Admitted(found.records * (self.radius / lengths), found.invalid)

    def lengths(self, records: Any) -> Admitted:
        """Wasserstein distances (n,) from the centre, before tau."""
        found = self._vectors(records)
        return Admitted(linalg.row_norm(found.records)[:, 0], found.invalid)

    def check(self, records: Any) -> CheckFindings:
        """Say who is beyond the ball, or has a reading beyond the range."""
        rows, half = self._quantiles(records), (self.high - self.low) / 2
        away = np.max(np.abs(rows.numbers - (self.low + half)), axis=1) / half
        found = np.maximum(np.asarray(self.lengths(records).records) / self.radius, away)
        return CheckFindings.of_norms(found, 1.0, rows.invalid)

    def clipped_at(self, tau: float) -> DistributionMean:  # noqa: D102
        return replace(self, tau=min(tau, self.high - self.low), rising=False)

    def moved_by_clipping(self, outer: float) -> Moved:
        """Those of functions, whichever coordinates are added up."""
        return Moved(max(0.0, outer - self.radius), 1.0)

    def _vectors(self, records: Any) -> Admitted:
        rows = self._quantiles(records)
        away = (np.clip(rows.numbers, self.low, self.high) - self.center) / np.sqrt(self.points)
        vectors = away if self.rising else linalg.row_product(away, self.basis.T)
        vectors[list(rows.invalid)] = 0.0
        return Admitted(vectors, rows.invalid)

    def decode(self, coordinates: Floats) -> Floats:
        """Quantile functions (..., M) with these coordinates; noise may make them fall."""
        found = np.asarray(coordinates, dtype=np.float64) @ self.basis
        return self.center + np.sqrt(self.points) * found

    def to_coordinates(self, values: Floats) -> Floats:
        """Inverse of :meth:`decode`."""
        return (np.asarray(values) - self.center) / np.sqrt(self.points) @ self.basis.T

    def mean_point(self, value: Array) -> Array:
        """Nearest distributions on the range: pooled until they do not fall, then clipped."""
        rows = np.reshape(value, (-1, self.points))
        return np.array([self.nearest(row) for row in rows]).reshape(np.shape(value))

    def nearest(self, value: Array) -> Floats:
        """Projection of one function (M,) on the distributions of the range. Total."""
        from scipy.optimize import isotonic_regression

        known = np.where(np.isnan(value), self.center, value)
        kept = np.clip(known, -LARGEST, LARGEST)
        return np.clip(np.asarray(isotonic_regression(kept).x), self.low, self.high)

    @property
    def rule(self) -> ByDegree:
        """By degree, as the value itself asks."""
        return ByDegree(self)

    def denoised(self, value: Array, deviation: float) -> Floats:
        """Return a distribution."""
        return self.nearest(super().denoised(value, deviation))

    def records_at(self, vectors: Array) -> Floats:
        """Return records, as they are written, whose distributions these are."""
        rows = np.asarray(vectors)
        made = self.center + np.sqrt(self.points) * rows if self.rising else self.decode(rows)
        found = np.array([self.nearest(row) for row in made])
        if self.bins is not None:
            return np.array([np.histogram(row, self.bins)[0] for row in found], dtype=float)
        if self.levels is None:
            return found
        at = self.levels if np.ndim(self.levels) else (np.arange(self.levels) + 0.5) / self.levels
        return np.array([np.interp(at, self.places, row) for row in found])

    def encode_public(self, at: Any) -> Floats:
        """Coordinates of public records; of the public one zeros, however it is written."""
        if isinstance(at, np.ndarray) and np.array_equal(at, self.public_record):
            return np.zeros((1, self.vector_dim))
        one = isinstance(at, np.ndarray) and at.ndim == 1
        return self.encode(at[None] if one else at)

    # --- what a plan chooses and foresees -------------------------------------------------------

    def under(self, budget: Any, n: int) -> DistributionMean:
        """Let functions rise, and under a pure budget keep few polynomials.

        Noise against what these typically leave out.
        """
        # In a small ball two functions differ in no direction by less than its diameter.
        asked = replace(self, rising=self.rising or 4 * self.radius > self.high - self.low)
        if self.terms is not None or not budget.is_pure:
            return asked
        counts = np.arange(1, leading(self.points) + 1)
        step = float(asked.diameter) / n
        noise = np.cumsum(asked.noise_profile[: counts.size] ** 2)
        loud = [noise[k - 1] * noise_variance(budget, step, int(k)) for k in counts]
        sizes = np.arange(1.0, self.points) ** -4
        lost = np.r_[np.cumsum(sizes[::-1])[::-1], 0.0][counts - 1]
        best = int(np.argmin(np.array(loud) + (self.high - self.low) ** 2 / 12 * lost))
        return replace(asked, terms=int(counts[best]))

    def error_of(self, noise: Floats) -> Floats:
        """Wasserstein distances of releases, projected, where the mean is the uniform law."""
        even = self.low + (self.high - self.low) * self.places
        found = self.mean_point(even + np.sqrt(self.points) * (noise @ self.basis))
        return np.sqrt(np.mean((found - even) ** 2, axis=-1))

    @property
    def simulated_at(self) -> str:  # noqa: D102
        return "a mean that is spread evenly over the range"

    @property
    def bias_note(self) -> str:  # noqa: D102
        told = "Wasserstein distance to the mean of the clipped distributions"
        if self.terms is None:
            return f"{told}; distribution_of fits by degree as well, and is mostly nearer"
        return f"{told}, as far as polynomials of degree {self.terms - 1} carry it"

    # --- as functions, for regressions and pictures ---------------------------------------------

    @property
    def functions(self) -> DistributionMean:
        """Itself: what coefficients of a regression are of."""
        return self

    @property
    def template(self) -> Floats:
        """The centre."""
        return np.asarray(self.center)

    @cached_property
    def grid(self) -> IntervalGrid:
        """The midpoints."""
        return IntervalGrid(self.places)

    @property
    def typical_offset(self) -> Floats:
        """Guess how far the mean lies from the centre."""
        return np.asarray(TYPICAL_PART * self.radius)

    @cached_property
    def spectrum(self) -> Smoothness:
        """Typical variances by degree: what a distribution with a smooth density has."""
        sizes = np.arange(1.0, self.points + 1) ** -4
        sizes = sizes / np.sum(sizes)
        return Smoothness(sizes[: self.terms], sizes[len(self.basis) :])

    # --- words and files ------------------------------------------------------------------------

    def distance_words(self, distance: float) -> str:  # noqa: D102
        share = 100 * distance / (self.high - self.low)
        return f" (Wasserstein distance, {share:.2g}% of the range)"

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return "Private mean distribution"

    def describe(self) -> str:  # noqa: D102
        ball = ""
        if self.radius < (self.high - self.low) / 2:
            ball = f", within {self.radius:.6g} of a public one (Wasserstein distance)"
        kind = "quantiles" if np.ndim(self.levels) else "readings"
        kind = kind if self.bins is None else "histograms"
        return (
            f"mean distribution (Wasserstein barycentre) of numbers from {self.low:g} to "
            f"{self.high:g}, of {kind}, at {self.points} points{ball}"
        )

    def to_json(self) -> Document:  # noqa: D102
        arrays = {"center": self.center, "bins": self.bins}
        levels = self.levels if not np.ndim(self.levels) else array_to_json(self.levels)
        return {
            "tag": self.tag,
            **{name: getattr(self, name) for name in ("low", "high", "points", "tau", "terms")},
            **{name: array_to_json(at) for name, at in arrays.items() if at is not None},
            **({} if levels is None else {"levels": levels}),
            **({"rising": True} if self.rising else {}),
            "above": list(self.above),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        stated = {key: document[key] for key in ("low", "high", "points", "tau", "terms")}
        for key in ("center", "bins", "levels"):
            if key in document:
                plain = isinstance(document[key], int)
                stated[key] = document[key] if plain else array_from_json(document[key])
        rising = bool(document.get("rising", False))
        return cls(**stated, above=tuple(document["above"]), rising=rising)


STATISTICS.register(DistributionMean.tag, DistributionMean)
