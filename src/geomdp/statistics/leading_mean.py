"""The statistic ``LeadingMean``: the tangent mean in the leading directions of a public form.

Laplace noise grows with the number of directions. So the few in which records vary most are kept
first and clipped then; in all others the answer is the public centre's. Proof and formula:
docs/theory/leading-directions.md.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.options import Given, Option, read_number
from geomdp.privacy.base import Budget
from geomdp.privacy.gaussian import gaussian_mu
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.forms import as_form
from geomdp.spaces.numerics import linalg
from geomdp.statistics.base import STATISTICS, InBall
from geomdp.statistics.denoising import Rule, shaped
from geomdp.statistics.linear import ClippedStatistic
from geomdp.statistics.sensitivity import Moved
from geomdp.statistics.tangent_mean import FORM_SHAPES, TangentMean
from geomdp.typing import Array

#: Share of the records that a ball is said to hold.
HELD = 0.99
#: How far the kept directions may be from orthonormal ones that lead.
AXES_ROUNDING = 1e-6

PANEL = "Leading directions"
WITH = "--statistic leading-mean"
LEADING = Option(
    "--leading",
    "How many leading directions of the ball's form are kept; left out, the plan chooses, from "
    "public things. What lies beyond is the public centre's.",
    panel=PANEL,
    metavar="K",
    type=int,
    least=1,
    needs=WITH,
)
DECAY = Option(
    "--decay",
    "Power of the form that the variances of records are assumed to follow: 2 (default) for the "
    "form of a covariance, 3 for smooth outlines.",
    panel=PANEL,
    metavar="FLOAT",
    read=read_number,
    needs=WITH,
)
LEFT_OUT = Option(
    "--left-out",
    "Part, from 0 to 1 (default), of the assumed spread in what is left out by which the mean may "
    "be off there.",
    panel=PANEL,
    metavar="FLOAT",
    read=read_number,
    needs=WITH,
)


@dataclass(frozen=True, eq=False)
class LeadingMean(InBall, ClippedStatistic):
    """``exp(mean of the logs)`` at the centre, in the K leading directions of the ball's form.

    A log is projected on them FIRST, and then clipped. Under ``Pure`` budgets the error of a mean
    in d directions grows as d; what is left out of it costs no noise but a bias, which is assumed
    and stands in the forecast. It pays where records vary mostly in few directions.

    Parameters
    ----------
    ball
        With a public form; its radius is that of the whole ball, which holds 99 of 100 records. The
        kept directions have the radius that holds as many there, if the assumption is right.
    directions
        How many; left out, the plan chooses what has the least error by public things alone.
    decay
        Assumed: the second moments of records about the centre are the form to this power, of the
        size that fits the radius.
    left_out
        Assumed: in the other directions the mean is off by this part of what a record is, at most.

    Examples
    --------
    >>> import geomdp as dp
    >>> form = np.diag(1 / np.arange(1.0, 31))
    >>> ball = dp.Ball(dp.Euclidean(30), np.zeros(30), radius=1.0, form=form)
    >>> kept = dp.plan(LeadingMean(ball), n=100, budget=dp.Pure(1))
    >>> whole = dp.plan(dp.TangentMean(ball), n=100, budget=dp.Pure(1))
    >>> kept.statistic.directions, kept.expected_error < whole.expected_error
    (8, True)
    """

    ball: Ball
    directions: int | None = None
    decay: float = 2.0
    left_out: float = 1.0
    axes: Array | None = None
    tag: ClassVar[str] = "leading-mean"
    options: ClassVar[tuple[Option, ...]] = (LEADING, DECAY, LEFT_OUT)
    proof: ClassVar[str] = "leading-directions"
    pure_stack: ClassVar[bool] = True

    def __post_init__(self) -> None:
        form, dim = self.ball.form, self.ball.space.dim
        if form is None:
            raise GeomdpError(
                "Leading directions are those of a public form: give the ball one "
                "(geomdp ball --form, or Ball(..., form=...)), or ask for a tangent mean."
            )
        kept = self.directions
        if kept is not None and not (isinstance(kept, int) and 1 <= kept <= dim):
            raise GeomdpError(f"Of {dim} directions 1 to {dim} can be kept, not {kept!r}.")
        if not (0 <= self.left_out <= 1 and 0 < self.decay <= 8):
            raise GeomdpError(
                "What is assumed of records is a decay above 0 and at most 8, and a part left out "
                f"from 0 to 1, not {self.decay!r} and {self.left_out!r}."
            )
        if kept is not None:
            object.__setattr__(self, "axes", _as_axes(self.axes, form, kept))

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:
        """Build it from a public ball and what was typed."""
        fields = ("directions", "decay", "left_out")
        typed = zip(fields, cls.options, strict=True)
        return cls(ball, **{name: given[one.key] for name, one in typed if given.said(one)})

    def under(self, budget: Budget, n: int) -> "LeadingMean":
        """Choose how many directions are kept, from the form, n and the budget alone."""
        if self.directions is not None:
            return self
        return replace(self, directions=1 + int(np.argmin(self.squared_errors(budget, n))))

    def squared_errors(self, budget: Budget, n: int) -> Array:
        """Return the mean squared error (d,) that is assumed if 1, 2, ... directions are kept.

        Noise, and what the assumption says is left out (docs/theory/leading-directions.md). Which
        is the least does not hang on the radius.
        """
        values = self._values
        counts, held = np.arange(1, values.size + 1), self._parts * self.ball.radius
        if budget.is_pure:
            noise = (counts + 1) * (2 * held / (n * float(budget.parts[0]))) ** 2
        else:
            noise = (2 * held / (n * gaussian_mu(budget))) ** 2
        left = np.sum(self._moments) - np.cumsum(self._moments)
        return noise * np.cumsum(values) + self.left_out**2 * np.maximum(left, 0.0)

    @cached_property
    def _values(self) -> Array:
        """Eigenvalues of the form, the largest first."""
        assert self.ball.form is not None  # seen to above
        return np.linalg.eigvalsh(self.ball.form)[::-1]

    @cached_property
    def _parts(self) -> Array:
        """Radius (d,) that holds as many records in 1, 2, ... directions, in units of the ball's.

        To four digits, so that plans are the same on every machine.
        """
        lengths = self._values ** (self.decay - 1)
        quantiles = _quantiles(lengths)
        return np.ceil(1e4 * np.sqrt(quantiles / quantiles[-1]) - 1e-6) / 1e4

    @cached_property
    def _moments(self) -> Array:
        """Assumed second moments (d,) of records about the centre, the largest first."""
        whole = _quantiles(self._values ** (self.decay - 1))[-1]
        return np.asarray(self.ball.radius**2 / whole * self._values**self.decay)

    # --- what the release path needs ------------------------------------------------------------

    @property
    def kept(self) -> int:
        """How many directions are kept."""
        if self.directions is None:
            raise GeomdpError("A plan chooses how many directions are kept: plan it, or say K.")
        return self.directions

    @property
    def _axes(self) -> Array:
        assert self.kept  # refuses where none are chosen
        assert self.axes is not None
        return self.axes

    @cached_property
    def _widths(self) -> Array:
        """Roots (K,) of the form's variances along the kept directions."""
        form = self.ball.form
        assert form is not None  # seen to when it was made
        return np.sqrt(np.einsum("kd,de,ke->k", self._axes, form, self._axes))

    @property
    def space(self) -> Space:
        """Where the records live."""
        return self.ball.space

    @property
    def value_space(self) -> Space:  # noqa: D102
        return self.space

    @property
    def radius(self) -> float:  # noqa: D102
        return float(self._parts[self.kept - 1]) * self.ball.radius

    @property
    def public_radius(self) -> float:
        """The reach of the kept directions, as errors are measured."""
        return self.radius * float(np.max(self._widths))

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.kept)

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return self.shrinkage

    @property
    def error_scale(self) -> Array:  # noqa: D102
        return self._widths

    @property
    def rule(self) -> Rule | None:
        """Bock's, since errors weigh the kept directions as the form does."""
        return shaped(self._widths**2, self.radius)

    @property
    def bias_deviations(self) -> Array:
        """What is left out, by the assumption."""
        return np.r_[np.zeros(self.kept), self.left_out * np.sqrt(self._moments[self.kept :])]

    def lengths(self, records: Any) -> Admitted:
        """Length (n,) of each log in the kept directions, by the form, before it is clipped."""
        found = self._projected(records)
        return Admitted(_norms(found.records)[..., 0], found.invalid)

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, K) of the logs: projected, and then clipped to the radius."""
        found = self._projected(records)
        rows, norms = found.records, _norms(found.records)
        with np.errstate(all="ignore"):
            shorter = rows * (self.radius / np.maximum(norms, self.radius))
        return Admitted(np.where(np.isfinite(norms), shorter, 0.0), found.invalid)

    def _projected(self, records: Any) -> Admitted:
        """Coordinates in which the ball is round; 0 of what is no point, NaN where none is."""
        points, invalid = self.space.parse(records, instead=self.ball.center)
        with np.errstate(all="ignore"):
            logs = self.ball._logs(points)
            rows = linalg.row_product(logs, self._axes.T / self._widths)
        rows[list(invalid)] = 0.0  # the log of a centre is 0 but for rounding
        return Admitted(rows, invalid)

    def decode(self, coordinates: Array) -> Array:
        """Points reached from the centre in the kept directions."""
        logs = linalg.row_product(coordinates, self._widths[:, None] * self._axes)
        return np.asarray(self.space.canonical(self.space.frame_exp(self.ball.center, logs)))

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., K) of points: the inverse of :meth:`decode`."""
        shape = self.space.point_shape
        logs = np.asarray(self.space.frame_log(self.ball.center, np.reshape(values, (-1, *shape))))
        rows = linalg.row_product(logs, self._axes.T / self._widths)
        return np.reshape(rows, (*np.shape(values)[: np.ndim(values) - len(shape)], -1))

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Take that of a tangent mean in a ball of the kept radius."""
        ball = replace(self.ball, radius=self.radius, wide=True)
        return TangentMean(ball).moved_by_clipping(outer)

    # --- a radius that is found privately -------------------------------------------------------

    @property
    def tau(self) -> float:  # type: ignore[override]
        """The radius; of the whole ball, where no directions are chosen yet."""
        return self.ball.radius if self.directions is None else self.radius

    def clipped_at(self, tau: float) -> Self:
        """Return the same directions with another radius."""
        ball, part = self.ball, float(self._parts[self.kept - 1])
        return replace(self, ball=replace(ball, radius=tau / part, wide=True))

    def fixed_for(self, budget: Budget, n: int) -> "LeadingMean":
        """Return it with the directions that all stages keep."""
        return self.under(budget, n)

    # --- words ----------------------------------------------------------------------------------

    @property
    def bias_note(self) -> str:  # noqa: D102
        off = float(np.linalg.norm(self.bias_deviations))
        inside = TangentMean(self.ball).bias_note
        return "; ".join(
            filter(
                None,
                (
                    "in coordinates at the centre",
                    FORM_SHAPES,
                    f"of it {off:.3g} for the {self.space.dim - self.kept} directions left out, "
                    "where the answer is the public centre's: an assumption, which no record was "
                    f"asked about (variances follow the form to the power {self.decay:g})",
                    inside,
                ),
            )
        )

    def describe(self) -> str:  # noqa: D102
        kept = "leading" if self.directions is None else f"{self.kept} leading"
        return (
            f"tangent mean on {self.space.spec} in the {kept} of {self.space.dim} directions of a "
            f"form, shaped ball of radius {self.ball.radius:.6g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        axes = {} if self.axes is None else {"axes": array_to_json(self.axes)}
        return {
            **super().to_json(),
            "directions": self.directions,
            "decay": self.decay,
            "left_out": self.left_out,
            **axes,
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        axes = array_from_json(document["axes"]) if "axes" in document else None
        kept, decay, left_out = (document[key] for key in ("directions", "decay", "left_out"))
        return cls(Ball.from_json(document), kept, decay, left_out, axes)


def _norms(rows: Array) -> Array:
    """Length of each row; infinite where floats cannot tell."""
    with np.errstate(over="ignore"):
        return linalg.row_norm(rows)


def _quantiles(weights: Array) -> Array:
    """Quantiles (d,) of ``sum of the first weights times squared normals``, by two moments."""
    from scipy.special import gammaincinv

    first, second = np.cumsum(weights), np.cumsum(weights**2)
    return np.asarray(2 * second / first * gammaincinv(first**2 / (2 * second), HELD))


def _as_axes(axes: Any, form: Array, kept: int) -> Array:
    """Return leading directions (K, d) of a form; those that were stated, if they are such.

    They stand in the plan: a form may have equal eigenvalues, whose directions hang on the machine.
    """
    if axes is None:
        found = np.linalg.eigh(form)[1][:, ::-1].T[:kept]
    else:
        found = np.array(axes, dtype=float)
    form = as_form(form, len(form))
    if found.shape != (kept, len(form)) or not np.all(np.isfinite(found)):
        raise GeomdpError(f"The directions of a plan are {kept} by {len(form)} finite numbers.")
    most = np.sum(np.linalg.eigvalsh(form)[::-1][:kept])
    apart = np.max(np.abs(found @ found.T - np.eye(kept)))
    lost = most - np.einsum("kd,de,ke->", found, form, found)
    if not (apart <= AXES_ROUNDING and lost <= AXES_ROUNDING * most):
        raise GeomdpError("The directions of a plan are not the leading ones of its form.")
    found = np.array(found)
    found.flags.writeable = False
    return found


STATISTICS.register(LeadingMean.tag, LeadingMean)
