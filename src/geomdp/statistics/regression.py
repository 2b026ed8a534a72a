"""The statistic ``Regression``: how the records' logs change with covariates, in one release.

Proofs: docs/theory/regression.md.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidBallError, InvalidRecordError
from geomdp.options import Given, Option
from geomdp.serial import Document
from geomdp.sources.records import Records
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.covariates import COVARIATE, Declared, Design, read_covariates
from geomdp.statistics.denoising import Known, Rule, rule_in
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.moments import LogStack
from geomdp.typing import Array, Floats

#: The next double above the root of 2, and one below the root of 1/2.
ROOT_ABOVE = math.sqrt(2.0)
HALF_ROOT_BELOW = math.nextafter(math.sqrt(0.5), 0.0)
#: Radii whose squares and inverses are ordinary floats.
SMALLEST, LARGEST = 1e-140, 1e140


class Blocks(NamedTuple):
    """The parts of a release, each a mean over the records (v: the clipped log, t: covariates)."""

    #: Mean of v: (..., d).
    mean: Array
    #: Mean of t v^T: (..., p, d).
    products: Array
    #: Mean of t: (..., p).
    covariates: Array
    #: Mean of t t^T, its upper triangle: (..., p (p + 1) / 2).
    squares: Array
    #: Mean of |v|^2: (...).
    length: Array


class WithCovariates(LinearStatistic):
    """What regressions of points and of curves share: covariates beside each record."""

    covariates: Declared
    #: What a record is without them, in the plural.
    beside_what: ClassVar[str] = "points"
    compared: ClassVar[tuple[str, str]] = (
        "the change over half of the ranges",
        "guess that nothing changes, which costs nothing",
    )

    @property
    @abstractmethod
    def alone(self) -> LinearStatistic:
        """The statistic that admits and decodes records without their covariates."""

    @cached_property
    def design(self) -> Design:
        """The covariates as declared."""
        return Design.declared(self.covariates)

    @property
    def covariate_names(self) -> tuple[str, ...]:  # noqa: D102
        return self.design.names

    def pooled_covariates(
        self, columns: Mapping[str, Any], owner: NDArray[np.intp], count: int
    ) -> dict[str, NDArray[Any]]:
        """Return mean numbers and most frequent levels, person by person."""
        return self.design.pooled(columns, owner, count)

    def admit(self, records: Any) -> Admitted:
        """Rows (n, d + p): coordinates within the radius, and covariates times the radius.

        A record that is invalid, or whose covariates are, is the public one as a whole.
        """
        if not isinstance(records, Records):
            what = self.beside_what
            raise InvalidRecordError(
                f"A regression needs covariates beside the {what}: Records({what}, "
                'covariates={"age": ages}).'
            )
        alone = self.alone.admit(records.points)
        codes, reasons = self.design.codes(records.covariates, len(alone.records))
        invalid = {**reasons, **alone.invalid}
        rows = np.concatenate([alone.records, self.radius * codes], axis=1)
        rows[list(invalid)] = 0.0
        return Admitted(rows, dict(sorted(invalid.items())))

    def encode_public(self, at: Any) -> Array:
        """Public records at covariates 0, or public Records."""
        if isinstance(at, Records):
            return self.encode(at)
        rows = self.alone.encode_public(at)
        return np.concatenate([rows, np.zeros((len(rows), self.design.dim))], axis=1)

    def records_at(self, vectors: Array) -> Records:
        """Return records with these rows (m, d + p), as far as covariates can take the values."""
        points, codes = np.split(vectors, [self.blocks[0]], axis=1)
        covariates = self.design.columns_at(codes / self.radius)
        return Records(self.alone.decode(points), covariates=covariates)


@dataclass(frozen=True, eq=False)
class OfTheCurve(Rule):
    """The released mean and, along each axis of the released covariates, the slope, one by one.

    Given the released covariates, noise on each is normal and alike in all coordinates
    (docs/theory/denoising.md, section 7).
    """

    asked: "Regression"
    mean: Rule
    slope: Rule
    normal_only: ClassVar[bool] = True

    @property
    def known(self) -> Known:  # type: ignore[override]
        """That of means, of each of them by itself."""
        told = self.mean.known
        return told._replace(
            name=f"the mean and the slope along each axis of the covariates: {told.name}",
            risk=f"{told.risk}; of the slopes about those of the released covariates",
            shows=False,
            places=(
                "the first covariate moves the curve by a quarter of the radius",
                "none of them moves it",
            ),
        )

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        asked = self.asked
        found = asked.split(asked.decode(drawn))
        middle, squares = found.covariates, asked.symmetric(found.squares)
        axes = np.linalg.eigh(squares - np.outer(middle, middle))[1]
        along = axes.T @ (found.products - np.outer(middle, found.mean))
        mean = self.mean.moved(found.mean, deviation)
        # What is taken off has the noise of the mean in it.
        spreads = deviation * np.sqrt(1 + (axes.T @ middle) ** 2)
        pairs = zip(along, spreads.tolist(), strict=True)
        along = np.array([self.slope.moved(one, spread) for one, spread in pairs])
        products = axes @ along + np.outer(middle, mean)
        ends = [asked.dim, asked.dim * (1 + asked.design.dim)]
        value = np.concatenate([mean, products.reshape(-1), asked.decode(drawn)[ends[1] :]])
        return asked.to_coordinates(value)

    def left(self, deviation: float, length: float) -> float:
        """As errors are forecast: covariates spread evenly, and all but the first move nothing."""
        asked = self.asked
        weights = asked.even_spread**-2.0
        kept = np.full(weights.size, self.slope.left(deviation, 0.0))
        length = length / asked.design.share
        kept[0] = self.slope.left(deviation, length * float(asked.even_spread[0]))
        # Noise of the covariates' products turns the slope of the first, and is not taken off.
        design = float(weights[0] + np.sum(weights[1:]) / 2)
        stays = design * (2 * length / asked.radius) ** 2
        slopes = asked.dim * weights
        return (float(slopes @ kept) + stays) / (float(np.sum(slopes)) + design)


@dataclass(frozen=True, eq=False)
class Regression(WithCovariates, LogStack):
    """Least squares of the records' logs at the centre on covariates: a curve on the space.

    One linear statistic holds all that the fit needs: the mean log v, the mean of t v^T, mean and
    second moments of the covariates t, and the mean squared length of v, for what the first two
    cost. A release is an array of these means (:class:`Blocks` in a row);
    ``release.predict(age=50)`` and ``release.regression`` read the curve off it.

    Parameters
    ----------
    ball
        Public centre and radius; may be wide, found privately, or shaped.
    covariates
        Public range of each number, public levels of each category, by name. Values beyond a range
        count as its end; what is no number or no declared level makes a record invalid.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> asked = Regression(ball, covariates={"age": (20, 90), "sex": ("f", "m")})
    >>> made = dp.plan(asked, n=1000, budget=dp.GDP(1))
    >>> round(made.sensitivity.value / (2 * 2**0.5 * 0.5 / 1000), 12), made.mechanism
    (1.0, 'tangent-gaussian')
    """

    covariates: Declared
    tag: ClassVar[str] = "regression"
    options: ClassVar[tuple[Option, ...]] = (COVARIATE,)
    proof: ClassVar[str] = "regression"
    section: ClassVar[str] = "regression"
    pictured: ClassVar[bool] = False  # the curve is
    pure_stack: ClassVar[bool] = True
    kept_raw: ClassVar[str] = "Laplace noise on slopes, whose law the covariates change"

    def __post_init__(self) -> None:
        if not isinstance(self.ball, Ball):
            raise InvalidBallError(
                "A regression takes a public Ball on a space; for curves and surfaces, whose "
                "records are no points of one, take geomdp.curves.FunctionRegression."
            )
        if not SMALLEST <= self.ball.radius <= LARGEST:
            raise InvalidBallError(
                f"A regression needs a radius from {SMALLEST:g} to {LARGEST:g}; change the units."
            )
        self.design  # noqa: B018  refuses now what is declared wrongly
        object.__setattr__(self, "covariates", dict(self.covariates))  # the caller's may change

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:
        """Build it from a public ball and the covariates that were typed."""
        covariates = read_covariates(given["covariate"])
        return cls(ball, covariates) if covariates else cls.in_ball(ball)

    @property
    def alone(self) -> LinearStatistic:
        """The tangent mean: logs at the centre within the radius."""
        return self.tangent

    # --- what the release path needs ------------------------------------------------------------

    @property
    def blocks(self) -> tuple[int, ...]:
        """The log, and the covariates in units of the radius: EACH of them is clipped JOINTLY."""
        return (self.dim, self.design.dim)

    @property
    def diameter(self) -> Fraction:
        """Two roots of 2 times the radius, rounded up (docs/theory/regression.md, section 1)."""
        return 2 * Fraction(ROOT_ABOVE) * Fraction(self.radius)

    @property
    def reach_squared(self) -> Fraction:
        """Of the five blocks 1, 1, 1/2, 1/4 and 1 times the radius squared: no weight is more."""
        return 15 * Fraction(self.radius) ** 2 / 4

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        return np.triu_indices(self.design.dim)

    @cached_property
    def shrinkage(self) -> Array:
        """Weights of the stack for integer vectors (v, r t), rounded down: less is safe.

        ``v``, ``t v^T``, ``(r / sqrt 2) t``, ``(r / 2) t t^T`` (an entry beside the diagonal stands
        for two) and ``|v|^2 / r``.
        """
        d, p, r = self.dim, self.design.dim, self.radius
        rows, columns = self._pairs
        one, off, diagonal = (np.nextafter(w / r, 0.0) for w in (1.0, HALF_ROOT_BELOW, 0.5))
        return np.concatenate(
            [
                np.ones(d),
                np.full(p * d, one),
                np.full(p, HALF_ROOT_BELOW),
                np.where(rows == columns, diagonal, off),
                [one],
            ]
        )

    @cached_property
    def noise_profile(self) -> Array:
        """One everywhere: the stack's noise is isotropic, hence Frobenius-isotropic on t t^T."""
        return np.ones(self.shrinkage.size)

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        sizes = self._sizes
        return np.repeat([1, 2, 1, 2, 2], sizes)

    @property
    def _sizes(self) -> list[int]:
        d, p = self.dim, self.design.dim
        return [d, p * d, p, p * (p + 1) // 2, 1]

    def integer_sums(self, vectors: Any) -> Any:
        """Add up all five blocks FROM THE SAME integer vectors (v, r t)."""
        v, u = vectors[:, : self.dim], vectors[:, self.dim :]
        blocks = (
            v.sum(axis=0),
            (u.T @ v).reshape(-1),
            u.sum(axis=0),
            (u.T @ u)[self._pairs],
            np.sum(v * v, keepdims=True).reshape(-1),
        )
        return np.concatenate(blocks)

    @cached_property
    def _units(self) -> Array:
        """What a unit of each coordinate is of its mean."""
        powers = np.repeat([0, 1, 1, 2, 0], self._sizes)
        return 1 / (self.shrinkage * self.radius**powers)

    def decode(self, coordinates: Array) -> Array:
        """Means (..., D) of the blocks, in the units of :class:`Blocks`."""
        return np.asarray(coordinates * self._units)

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        return np.asarray(values / self._units)

    def split(self, value: Array) -> Blocks:
        """Name the parts of a value (..., D)."""
        ends = np.cumsum(self._sizes)[:-1]
        mean, products, covariates, squares, length = np.split(np.asarray(value), ends, axis=-1)
        products = products.reshape((*products.shape[:-1], self.design.dim, self.dim))
        return Blocks(mean, products, covariates, squares, length[..., 0])

    def symmetric(self, squares: Array) -> Array:
        """Matrices (..., p, p) of upper triangles."""
        rows, columns = self._pairs
        whole = np.empty((*squares.shape[:-1], self.design.dim, self.design.dim))
        whole[..., rows, columns] = squares
        whole[..., columns, rows] = squares
        return whole

    # --- records --------------------------------------------------------------------------------

    @property
    def curve_in(self) -> Space:  # noqa: D102
        return self.ball.space

    @property
    def even_value(self) -> Array:
        """Means of public records beside covariates that spread evenly."""
        squares = np.diag(self.even_spread)[self._pairs]
        return np.concatenate([np.zeros(sum(self._sizes[:3])), squares, [0.0]])

    @property
    def public_value(self) -> Array:
        """Means of nothing but public records."""
        return np.zeros(self.noise_profile.size)

    # --- forecast -------------------------------------------------------------------------------

    @property
    def error_scale(self) -> Array:
        """The forecast is that of the slopes; see :meth:`error_of`."""
        return np.repeat([0.0, 1.0, 0.0, 1.0, 0.0], self._sizes)

    @cached_property
    def even_spread(self) -> Array:
        """Variances (p,) of the covariates' coordinates if values spread evenly over all."""
        each = [
            np.full(one.width, 1 / one.width if one.level_names else 1 / 3)
            for one in self.design.covariates
        ]
        return self.design.share**2 * np.concatenate(each)

    def error_of(self, noise: Array) -> Array:
        """First-order error (m,) of the slopes: what half of a range changes, all covariates.

        At the stated design: covariates spread evenly over their ranges, independently, and a
        curve that the first of them moves by half of the radius.
        """
        found = self.split(self.decode(noise))
        off = np.array(found.products)
        off[..., 0] -= self.symmetric(found.squares)[..., 0] * self.radius / 2
        slopes = self.ball.coloured(off / self.even_spread[:, None])
        return np.asarray(self.design.share * np.sqrt(np.sum(slopes**2, axis=(-2, -1))))

    @property
    def bias_note(self) -> str:
        """What is estimated instead of the regression of unclipped records."""
        return (
            "of the slopes by noise alone, as the change over half of a range, for covariates "
            "spread evenly and a curve that crosses half of the ball; sampling error comes on top, "
            "clipped records flatten slopes"
        )

    def forecast_note(self, scale: float) -> str:
        """Say also what noise does to a prediction, and from where on to the design."""
        off = scale * math.sqrt(float(np.sum(self.ball.coloured(np.eye(self.dim)) ** 2)))
        drown = self.floor(scale) / self.design.share**2
        return (
            f"{self.bias_note}; a prediction at the middle of all ranges is off by about "
            f"{off:.3g}; covariates whose variance is below {drown:.3g} of half their range "
            "squared drown in noise"
        )

    def floor(self, noise: float, away: float = 0.0) -> float:
        """Eigenvalue that noise alone reaches in the covariates' covariance, about once in ten.

        The edge of the noise in the second moments, and of that in the square of the means
        (docs/theory/regression.md, section 3).

        ``noise`` is the standard deviation on each coordinate of the stack, ``away`` the
        length of the covariates' mean.
        """
        p = self.design.dim
        moved = 2 * min(away, 1.0) * (1 + math.sqrt(p))
        return noise / self.radius * math.hypot(math.sqrt(8 * p), moved)

    @cached_property
    def rule(self) -> Rule | None:
        """The mean, and the slopes where the covariates are on average: each as a mean is."""
        mean, slope = rule_in(self.ball), rule_in(self.ball, np.inf)
        return None if mean is None or slope is None else OfTheCurve(self, mean, slope)

    # --- words ----------------------------------------------------------------------------------

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private regression on {', '.join(self.design.names)}: {seen.title}"

    def describe(self) -> str:  # noqa: D102
        return (
            f"regression of the logs at the centre on {self.design.describe()}, on "
            f"{self.ball.space.spec}, {'' if self.ball.form is None else 'shaped '}ball of radius "
            f"{self.radius:.6g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        return {**super().to_json(), "covariates": self.design.to_json()}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(Ball.from_json(document), Design.declaration(document["covariates"]))

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:  # noqa: D102
        raise GeomdpError(
            "A regression needs public covariates: --covariate age=20:90, or in Python "
            'Regression(ball, covariates={"age": (20, 90)}).'
        )


STATISTICS.register(Regression.tag, Regression)
