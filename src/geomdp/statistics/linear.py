"""Linear statistics: means of coordinates, shrunk, with a noise scale a coordinate.

Log-Euclidean means, tangent means, mean curves and mean surfaces are all of this kind, so that one
exact path serves them: integers, an exact sum, correctly rounded noise
(docs/theory/lattice-gaussian.md).
"""

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.intervals import float_above
from geomdp.privacy.base import Budget
from geomdp.spaces.admission import Admitted
from geomdp.statistics.base import CheckFindings, Statistic
from geomdp.statistics.denoising import Rule, whole
from geomdp.statistics.sensitivity import Moved, Sensitivity
from geomdp.statistics.shrinking import finite_or
from geomdp.typing import Array

#: Turns what a statistic's ``encode`` returned into rows of coordinates.
ToCoordinates: TypeAlias = Callable[[Any], Array]


class LinearStatistic(Statistic):
    """``decode(shrinkage * mean of the encoded records)``.

    :meth:`encode` gives one row of coordinates a record, orthonormal for the norm that the public
    :attr:`radius` bounds. A release adds independent Gaussian noise of standard deviation
    ``scale * noise_profile`` to the coordinates and decodes.
    """

    #: Page of docs/theory with the proof of the sensitivity.
    proof: ClassVar[str] = "lattice-gaussian"
    #: Bits to which the norm of a record's integer vector is resolved.
    record_bits: ClassVar[int] = 30
    #: What no rule of denoising is proved for, where values stay as they are drawn.
    kept_raw: ClassVar[str] = "noise of which one direction has the most"
    #: Whether it stacks products of entries that are few enough to carry pure noise together.
    pure_stack: ClassVar[bool] = False

    @property
    @abstractmethod
    def radius(self) -> float:
        """Public bound on the norm of a record's coordinates."""

    @property
    def vector_radius(self) -> float:  # noqa: D102
        return self.radius

    @property
    @abstractmethod
    def shrinkage(self) -> Array:
        """Factor (D,) on the mean of each coordinate."""

    @property
    @abstractmethod
    def noise_profile(self) -> Array:
        """Relative standard deviation (D,) of the noise on each coordinate."""

    @property
    def diameter(self) -> Fraction:
        """Largest distance of two records' shrunken coordinates, in units of ``noise_profile``.

        Exact. Twice the radius where coordinates are the record's vector; a statistic that takes
        products of its entries too declares what is proved.
        """
        return 2 * Fraction(self.radius) * _largest_ratio(self.shrinkage, self.noise_profile)

    @property
    def noise_blocks(self) -> tuple[int, ...]:
        """Sizes of the runs of coordinates that pure noise is drawn for together: mostly all."""
        return (self.noise_profile.size,)

    @property
    def block_diameter(self) -> Fraction:
        """Largest sum, over those blocks, of how far two records' coordinates are apart."""
        return self.diameter

    @property
    def reach_squared(self) -> Fraction:
        """Square of the largest length of a record's coordinates, measured as the diameter is.

        The public record is at 0 and within the diameter of every other; half of that where
        coordinates are the record's vector.
        """
        whole = self.diameter**2
        return whole / 4 if bool(np.all(self.degrees == 1)) else whole

    @property
    def absence(self) -> Fraction:  # noqa: D102
        return self.reach_squared / self.diameter**2

    @property
    def public_row(self) -> Array:
        """Zeros: records are measured from the public one."""
        return np.zeros(self.vector_dim)

    @property
    def degrees(self) -> Array:
        """Degree (D,) of each coordinate as a polynomial of the record's vector."""
        return np.ones(self.noise_profile.size, dtype=int)

    @property
    def largest(self) -> Array:
        """Largest size (D,) of each coordinate, where vectors have length 1: integers."""
        return np.ones(self.noise_profile.size, dtype=int)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Sizes of the parts of a record's vector, each of which the radius bounds by itself."""
        return (self.noise_profile.size,)

    @property
    def vector_dim(self) -> int:
        """Number of entries of a record's vector: what :meth:`encode` gives."""
        return sum(self.blocks)

    @abstractmethod
    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., D) of values (..., *shape): the inverse of ``decode``."""

    def edge_records(self, around: Any, most: int) -> Array:
        """Return records in the directions that count most, the smoothest."""
        if self.public_ball is not None:
            return super().edge_records(around, most)
        order = np.argsort(-self.shrinkage, kind="stable")[:most]
        unit = np.zeros((len(order), self.shrinkage.size))
        unit[np.arange(len(order)), order] = self.radius
        return self.decode(unit)

    def records_at(self, vectors: Array) -> Any:
        """Return records whose vectors are these (m, vector_dim): the inverse of :meth:`encode`."""
        return self.decode(vectors)

    def integer_sums(self, vectors: Any) -> Any:
        """Add up the coordinates (D,) over integer vectors (n, d), before any shrinkage.

        All coordinates of a record must come from the same integer vector.
        """
        return vectors.sum(axis=0)

    def kept_short(self, vectors: Any, square: int) -> Any:
        """Shorten integer vectors (n, d) once more, where short blocks alone do not do.

        ``square`` is the largest squared length of a block. Each of one record alone.
        """
        return vectors

    @property
    def error_scale(self) -> Array:
        """Decoded norm (D,) of one unit of each coordinate."""
        return np.ones_like(self.noise_profile)

    @property
    def flat(self) -> bool:
        """Whether the error of a release is the norm of its noise, weighted by ``error_scale``."""
        return True

    @property
    def simulated_at(self) -> str:
        """Where a forecast simulates the error, if it depends on where the answer lies."""
        return "worse of a mean at the centre and at the boundary"

    def lattice_error(self, step: float) -> float:
        """Largest change of a record's vector by a lattice of this step."""
        return float(np.sqrt(np.sum(self.degrees == 1)) * step / 2)

    @property
    def bias_deviations(self) -> Array:
        """Standard deviations (D + k,), decoded, of what shrinkage takes off a typical mean.

        The first D belong to the coordinates, the others to what no coordinate carries. Forecasts
        count them beside the noise; 0 where nothing is shrunk, or where the shrunken mean is what
        is wanted.
        """
        return np.zeros(self.noise_profile.size)

    @property
    def bias_note(self) -> str:
        """What the statistic estimates instead of the plain mean, and how far off it can be."""
        return ""

    def forecast_note(self, scale: float) -> str:
        """Say what a forecast at this noise scale leaves out: by default what is estimated."""
        return self.bias_note

    @abstractmethod
    def decode(self, coordinates: Array) -> Array:
        """Values (..., *shape) that belong to coordinates (..., D)."""

    def estimate(self, encoded: Any, tolerance: float = 0.0) -> Array:
        """Return the non-private answer; no equation is solved, so no tolerance."""
        return self.decode(self.mean_coordinates(encoded))

    def as_linear(self) -> "LinearView":
        """Return itself: encoded records are coordinates."""
        return LinearView(self, np.asarray)

    def mean_coordinates(self, encoded: Any) -> Array:
        """Coordinates (D,) of the non-private answer."""
        return self.shrinkage * np.mean(np.asarray(encoded), axis=0)

    def sensitivity(self, n: int, bound: str = "sharp") -> Sensitivity:
        """Largest change of :meth:`estimate` in units of ``noise_profile``: exact, rounded up."""
        if bound not in ("sharp", "paper"):
            raise GeomdpError(f"There is no bound {bound!r}; choose one of sharp, paper.")
        return Sensitivity(float_above(self.diameter / n), bound, self.proof)

    @property
    def rule(self) -> Rule | None:
        """How a released value loses error, from public things alone; None where none is known."""
        return None

    def denoised(self, value: Array, deviation: float) -> Array:
        """Return a released value with less error, from it and the law of its noise alone: free.

        ``deviation`` is that of the noise on a coordinate, in units of its profile. The value
        itself where no rule is known, or beyond what floats resolve.
        """
        rule = self.rule
        if rule is None:
            return value
        with np.errstate(all="ignore"):
            moved = rule.moved(np.array(self.to_coordinates(value)), deviation)
            return finite_or(np.asarray(self.decode(moved)), value)

    def require_resolution(self, length: float) -> None:
        """Refuse noise of a length that decoding cannot represent; coordinates always can."""
        return

    def error_of(self, noise: Array) -> Array:
        """Error (m,) of releases whose coordinates carry the ``noise`` (m, D)."""
        return np.sqrt(np.sum((noise * self.error_scale) ** 2, axis=-1))


class Shrinkable(LinearStatistic):
    """A mean about a public record, with equal noise on all coordinates, that shrinks towards it.

    By the positive-part estimator of James and Stein (docs/theory/denoising.md).
    """

    @property
    def rule(self) -> Rule | None:
        """All coordinates by one factor."""
        return whole(self.noise_profile.size, self.radius)


def forwarded(path: str) -> Any:
    """Return a property that a statistic has of one of its parts, which says what it means."""
    return property(attrgetter(path))


class ClippedStatistic(LinearStatistic):
    """A mean of curves or surfaces about a public template, or what else is asked of them.

    Its ``tau`` is a number, or None where it is left out: a plan then finds one privately, below
    :attr:`widest_tau`, or chooses it (:meth:`under`) where that cannot be.
    """

    #: Public bound on the length of a record's coordinates.
    tau: float | None

    def as_clipped(self) -> Self:  # noqa: D102
        return self

    @property
    def widest_tau(self) -> float:
        """A tau that is surely wide enough: the stated one, or a public fact where it has none."""
        return self.radius

    @property
    def public_radius(self) -> float:
        """The bound, as errors are measured."""
        return self.radius

    @property
    def mean(self) -> "ClippedStatistic":
        """The mean of the same records, whose lengths ``tau`` bounds."""
        return self

    def fixed_for(self, budget: Budget, n: int) -> "ClippedStatistic":
        """Return it with what is chosen before a tau is found, and holds for all stages."""
        return self

    @property
    def loud(self) -> int:
        """How many coordinates carry noise: those that are shrunk to nothing do not."""
        squares = (self.shrinkage / np.max(self.shrinkage)) ** 2
        return ceil(float(np.sum(squares)))

    @property
    def of_persons(self) -> Self:  # noqa: D102
        return self

    def laid_once(self, records: Any) -> Any:
        """Return single records as all stages read them, where reading takes long: once for all."""
        return records

    @abstractmethod
    def lengths(self, records: Any) -> Admitted:
        """Length (n,) of each record's coordinates before it is clipped; total, as ``admit``."""

    @abstractmethod
    def clipped_at(self, tau: float) -> Self:
        """Return the statistic with another bound."""

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Those of the coordinates, as errors are measured; None beside means."""
        if not np.all(self.degrees == 1):
            return None
        whole = self.shrinkage * self.error_scale
        most = float(np.max(whole))
        return Moved(most * max(0.0, outer - self.radius), most)

    def check(self, records: Any) -> CheckFindings:
        """Compare the lengths of the records with the bound."""
        found = self.lengths(records)
        return CheckFindings.of_norms(found.records, self.radius, found.invalid)


class LinearView(NamedTuple):
    """A statistic as a linear one, with the map from its own encoded records to coordinates."""

    linear: LinearStatistic
    to_coordinates: ToCoordinates


def _largest_ratio(numerators: Array, denominators: Array) -> Fraction:
    """Largest quotient, exactly: floats only preselect the candidates."""
    ratios = np.asarray(numerators) / np.asarray(denominators)
    close = np.flatnonzero(ratios >= np.max(ratios) * (1 - 1e-12))
    candidates = {(float(numerators[i]), float(denominators[i])) for i in close.tolist()}
    return max(Fraction(a) / Fraction(b) for a, b in candidates)
