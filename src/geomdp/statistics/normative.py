"""Where most people lie: a mean, a covariance, and how far from them a public share of records is.

Moments of one half of the records whiten distances; radii of these are found among the other half
(docs/theory/normative.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.options import Given, Option, read_number
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.sources.records import Records, as_records
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.statistics.base import STATISTICS, InBall, Statistic
from geomdp.statistics.covariates import COVARIATE, Declared, Design, read_covariates
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.moments import Moments
from geomdp.statistics.pooling import Pooling, TangentPooling
from geomdp.statistics.regression import Regression
from geomdp.statistics.sensitivity import Bound, Sensitivity
from geomdp.statistics.whitening import Whitening, whitening, whitening_along
from geomdp.typing import Array

#: Share of people whom a region is to hold, where nothing else is said.
LEVEL = 0.95
#: The other share whose radius is found, so that centiles between are known too.
MEDIAN = 0.5
#: The grid reaches from so many times the radius that normal records would need ...
WIDEST = 4.0
#: ... down to this part of it ...
NARROWEST = 1 / 3
#: ... in finer steps where distances of normal records differ less: twice as fine in so many
#: dimensions, and four times as fine at most.
FINER = 64

LEVEL_OPTION = Option(
    "--level",
    "Share of people whom a normative region is to hold (default 0.95).",
    metavar="SHARE",
    read=read_number,
    needs="--statistic normative-region",
)


@dataclass(frozen=True, eq=False)
class NormativeRegion(InBall, Statistic):
    """Which region holds most people? With centiles for whoever comes next.

    Mean and covariance come from one half of the records, the radii that hold half and ``level`` of
    people from the other. The release draws the halves itself, so that no record can change them:
    the price is that of the dearer half, not of both, and new people are to the second half as its
    own records are to each other (docs/theory/normative.md). ``release.score(new)`` gives centiles.

    Parameters
    ----------
    ball
        Public centre and radius; records beyond are clipped for the mean and covariance, and count
        as they are for the radii. May be wide.
    level
        Share of people whom the region is to hold.
    covariates
        Public ranges and levels, as of a ``Regression``, for a chart over age: the mean then moves
        with them, and the spread about it is the same in all directions and at all ages.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> made = dp.plan(NormativeRegion(ball), n=2000, budget=dp.GDP(1))
    >>> release = made.release(dp.datasets.polar_sphere(2000, radius=0.3, seed=0))
    >>> near, far = release.score([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]).tolist()
    >>> near < 50 < 99 < far
    True
    """

    ball: Ball
    level: float = LEVEL
    covariates: Declared | None = None
    tag: ClassVar[str] = "normative-region"
    in_stages: ClassVar[str] = "normative"
    value_is_record: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = (LEVEL_OPTION, COVARIATE)

    def __post_init__(self) -> None:
        if not MEDIAN < self.level < 1:
            raise GeomdpError(
                f"A normative region holds more than half of people and not all: a level between "
                f"0.5 and 1, not {self.level}."
            )

        self.regression  # noqa: B018  refuses now what it cannot fit

    @cached_property
    def regression(self) -> Regression | None:
        """The regression on the covariates, where there are any."""
        return None if self.covariates is None else Regression(self.ball, self.covariates)

    @property
    def covariate_names(self) -> tuple[str, ...]:  # noqa: D102
        return () if self.regression is None else self.regression.covariate_names

    def pooled_covariates(  # noqa: D102
        self, columns: Mapping[str, Any], owner: NDArray[np.intp], count: int
    ) -> dict[str, NDArray[Any]]:
        asked = self.regression
        return {} if asked is None else asked.pooled_covariates(columns, owner, count)

    def moments(self, budget: Any, n: int) -> LinearStatistic:
        """Return what is asked of the first half: under pure budgets a mean and a dispersion."""
        return self.regression or Moments(self.ball).under(budget, n)

    def whitening(self, value: Array, deviation: float) -> Whitening:
        """Return what the first half's release says of mean and spread: public, and total."""
        if self.regression is None:
            return whitening(self.ball, value, deviation)
        return whitening_along(self.regression, value, deviation)

    @property
    def start(self) -> Whitening:
        """A public stand-in before any moments are released: records that fill the ball."""
        dim = self.ball.space.dim
        root = np.eye(dim) if self.ball.roots is None else self.ball.roots[1]
        rows = 0 if self.regression is None else self.regression.design.dim
        none = np.zeros((rows, dim))
        return Whitening(np.zeros(dim), root * np.sqrt(dim) / self.ball.radius, none)

    def radius_of(self, seen: Whitening, level: float, n: int, median: float) -> "WhitenedRadius":
        """Return the question which radius holds this share of people, asked of n records."""
        typical = typical_radius(level, self.ball.space.dim)
        steps = ceil(halving_in(self.ball.space.dim) * np.log2(WIDEST / NARROWEST))
        top = WIDEST * typical
        grid = (top, steps, n - inside(level, n))
        along = (None, None) if self.covariates is None else (seen.slopes, self.covariates)
        return WhitenedRadius(self.ball, seen.mean, seen.root, level, median, *grid, *along)

    @property
    def public_row(self) -> Array:
        """That of the moments."""
        return (self.regression or Moments(self.ball)).public_row

    def admit(self, records: Any) -> Admitted:
        """Let records in as the moments do."""
        return (self.regression or Moments(self.ball)).admit(records)

    def estimate(self, encoded: Any, tolerance: float = 0.0) -> NoReturn:
        """Refuse: stages answer."""
        raise GeomdpError("A normative region is planned in stages: use geomdp.plan.")

    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Return that of the moments."""
        return (self.regression or Moments(self.ball)).sensitivity(n, bound)

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private normative region {seen.preposition} {seen.title}"

    def describe(self) -> str:  # noqa: D102
        along = "" if self.regression is None else f" by {self.regression.design.describe()}"
        return (
            f"region that holds {100 * self.level:g}% of people{along} on {self.ball.space.spec}, "
            f"ball of radius {self.ball.radius:.6g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {**super().to_json(), "level": self.level, **_declared(self.covariates)}

    @classmethod
    def from_json(cls, document: Document) -> Self:  # noqa: D102
        return cls(Ball.from_json(document), document["level"], _covariates_in(document))

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:  # noqa: D102
        level = given[LEVEL_OPTION.key]
        covariates = read_covariates(given[COVARIATE.key]) if given[COVARIATE.key] else None
        return cls(ball, LEVEL if level is None else level, covariates)


@dataclass(frozen=True, eq=False)
class WhitenedRadius(Cover):
    """Smallest radius, in standard deviations about a released mean, that holds most records.

    The widest radius holds all of them, wherever they lie, so that one always serves.

    ``ball``: public; coordinates are those of unclipped logs at its centre. ``mean``, ``root``:
    released before: the distance of coordinates v is the length of ``root @ (v - mean)``.
    ``level``: share of people whom the radius is to hold. ``median``: the radius that holds half of
    people, released before; 0 where it is what is asked. ``top``, ``steps``, ``outside``: the grid,
    and how many records may lie outside; public. ``slopes``, ``covariates``: what covariates add to
    the mean, released before, and how they are declared; None where there are none.
    """

    ball: Ball
    mean: Array
    root: Array
    level: float
    median: float
    top: float
    steps: int
    outside: int
    slopes: Array | None = None
    covariates: Declared | None = None
    tag: ClassVar[str] = "whitened-radius"
    section: ClassVar[str] = "normative"
    spread: ClassVar[float] = 1 / WIDEST
    value_note: ClassVar[str] = "The radius, in standard deviations about the released mean."

    @property
    def public_record(self) -> Array:
        """The centre."""
        return self.ball.center

    @property
    def record_space(self) -> Space:
        """Records are points, though a radius is none."""
        return self.ball.space

    @property
    def pooling(self) -> Pooling:
        """Persons count by their mean log, which moments clip alike."""
        return TangentPooling(self.ball.space, self.ball.center, self.ball.reach)

    @property
    def halving(self) -> int:  # type: ignore[override]
        """The grid halves the radius every so many steps."""
        return halving_in(self.ball.space.dim)

    @cached_property
    def design(self) -> Design | None:
        """The covariates as declared."""
        return None if self.covariates is None else Design.declared(self.covariates)

    @property
    def covariate_names(self) -> tuple[str, ...]:  # noqa: D102
        return () if self.design is None else self.design.names

    def pooled_covariates(  # noqa: D102
        self, columns: Mapping[str, Any], owner: NDArray[np.intp], count: int
    ) -> dict[str, NDArray[Any]]:
        return {} if self.design is None else self.design.pooled(columns, owner, count)

    def measured(self, records: Any) -> Admitted:
        """How many standard deviations (n,) records lie from the mean; NaN where that is unknown.

        With covariates the records have them beside; what is invalid is the public record.
        """
        data = as_records(records)
        points, invalid = self.ball.space.parse(data.points, instead=self.ball.center)
        middle = np.broadcast_to(self.mean, (len(points), self.mean.size))
        if self.design is not None and self.slopes is not None:
            codes, reasons = self.design.codes(data.covariates, len(points))
            invalid = dict(sorted({**reasons, **invalid}.items()))
            points, codes = np.array(points), np.array(codes)
            points[list(invalid)], codes[list(invalid)] = self.ball.center, 0.0
            middle = middle + linalg.row_product(codes, self.slopes)
        return Admitted(self._distances(points, middle), invalid)

    def distances(self, points: Array) -> Array:
        """Return how many deviations points lie from the mean; those of the centre if invalid."""
        return np.asarray(self.measured(points).records)

    def _distances(self, points: Array, middle: Array) -> Array:
        space, center = self.ball.space, self.ball.center
        with np.errstate(all="ignore"):
            resolved = np.asarray(space.resolved(center, points))
            logs = decompositions.row_by_row(
                lambda rows: space.frame_log(center, rows), resolved, (space.dim,)
            )
            white = linalg.row_product(np.asarray(logs) - middle, self.root)
            return np.asarray(linalg.row_norm(white))[:, 0]

    def admit(self, records: Any) -> Admitted:
        """Return for each record the last radius of the grid that holds it; the widest holds all.

        A function of that record and of public things alone, so that errors of floats in the
        distance cost no privacy.
        """
        found = self.measured(records)
        return Admitted(np.maximum(self.depths(found.records), 0), found.invalid)

    @property
    def public_row(self) -> Array:
        """The centre, where covariates are in the middle."""
        center = np.asarray(self.ball.center)[None]
        row: Array = np.maximum(self.depths(self._distances(center, self.mean[None])), 0)[0]
        return row

    def encode_public(self, at: Any) -> Array:
        """Encode public points, with covariates in the middle, or public Records."""
        if self.design is None or hasattr(at, "covariates"):
            return super().encode_public(at)
        points = np.reshape(at, (-1, *self.ball.space.point_shape))
        return self.encode(self._in_the_middle(points))

    def records_at(self, vectors: Array) -> Any:
        """Return records whose logs are these, with covariates in the middle."""
        points = super().records_at(vectors)
        return points if self.design is None else self._in_the_middle(points)

    def _in_the_middle(self, points: Array) -> Records:
        assert self.design is not None
        columns = self.design.columns_at(np.zeros((len(points), self.design.dim)))
        return Records(points, covariates=columns)

    def promised(self, n: int, epsilon: float) -> float:
        """Lower bound on how many new people lie inside, on average over records and noise.

        The bound of docs/theory/normative.md, section 3, at the shortfall where it is highest.
        """
        wanted = n - self.outside
        short = np.arange(wanted + 1)
        failing = np.exp(np.minimum(0.0, (self.steps + 1) * np.log(2) - epsilon * (short + 1)))
        return float(np.max((1 - failing) * (wanted - short))) / (n + 1)

    def title_in(self, seen: Any) -> str:  # noqa: D102
        share = f"{100 * self.level:g}% of people"
        return f"Private radius that holds {share} {seen.preposition} {seen.title}"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return " standard deviations"

    def describe(self) -> str:  # noqa: D102
        return (
            f"radius about a released mean on {self.ball.space.spec}, in standard deviations, that "
            f"holds {100 * self.level:g}% of people: all but {self.outside}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {
            "tag": self.tag,
            "ball": self.ball.to_json(),
            "mean": array_to_json(self.mean),
            "root": array_to_json(self.root),
            "level": self.level,
            "median": self.median,
            "top": self.top,
            "steps": self.steps,
            "outside": self.outside,
            **({} if self.slopes is None else {"slopes": array_to_json(self.slopes)}),
            **_declared(self.covariates),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        ball = Ball.from_json(document["ball"])
        mean, root = (array_from_json(document[key]) for key in ("mean", "root"))
        level, median, top, steps, outside = (
            document[key] for key in ("level", "median", "top", "steps", "outside")
        )
        slopes = array_from_json(document["slopes"]) if "slopes" in document else None
        along = (slopes, _covariates_in(document))
        return cls(ball, mean, root, level, median, top, steps, outside, *along)


def inside(level: float, n: int) -> int:
    """How many of n records a radius is to hold, so that it holds this share of new ones."""
    return ceil(level * (n + 1) - 1e-9)


def halving_in(dim: int) -> int:
    """Return in how many steps the grid halves the radius."""
    return round(8 * min(4.0, max(1.0, 2 * np.sqrt(dim / FINER))))


def typical_radius(level: float, dim: int) -> float:
    """Return the radius that holds this share of standard normal vectors."""
    from scipy.special import gammaincinv

    return float(np.sqrt(2 * gammaincinv(dim / 2, level)))


def _declared(covariates: Declared | None) -> Document:
    """Describe covariates as a regression does, where there are any."""
    return {} if covariates is None else {"covariates": Design.declared(covariates).to_json()}


def _covariates_in(document: Document) -> Declared | None:
    """Inverse of :func:`_declared`."""
    return Design.declaration(document["covariates"]) if "covariates" in document else None


for _kind in (NormativeRegion, WhitenedRadius):
    STATISTICS.register(_kind.tag, _kind)
