"""What every statistic offers: how it reads records, computes, and moves with one record."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.options import Given, Option
from geomdp.registry import Registry
from geomdp.serial import Document
from geomdp.sources.records import as_records
from geomdp.spaces.admission import Admitted, Policy
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.pooling import Pooling, TangentPooling
from geomdp.statistics.sensitivity import Bound, Moved, Sensitivity
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.statistics.cover_radius import Cover
    from geomdp.statistics.linear import ClippedStatistic, LinearView
    from geomdp.statistics.map_mean import MapMean


@dataclass(frozen=True, eq=False)
class CheckFindings:
    """What some records are like. Never for publication, and never a reason to change the ball.

    Distances are from the public record in units of the public radius, so that beyond 1 a record is
    clipped; NaN where it is no record, None where the statistic clips nothing.
    """

    count: int
    invalid: Mapping[int, str] = field(default_factory=dict)
    distances: Array | None = None

    @property
    def valid(self) -> int:
        """Number of valid records."""
        return self.count - len(self.invalid)

    @property
    def clipped(self) -> NDArray[np.bool_]:
        """Which records would be clipped."""
        if self.distances is None:
            return np.zeros(self.count, dtype=bool)
        return np.asarray(np.nan_to_num(self.distances) > 1 + 1e-9)

    @classmethod
    def of_norms(cls, norms: Array, radius: float, invalid: Mapping[int, str]) -> "CheckFindings":
        """Judge records by their norm about the public one."""
        distances = np.asarray(norms, dtype=float) / radius
        distances[list(invalid)] = np.nan
        return cls(len(distances), invalid, distances)


def check_in_ball(ball: Ball | None, records: Any, invalid: Mapping[int, str]) -> CheckFindings:
    """Measure how far records lie from the centre of a public ball."""
    points = as_records(records).points  # covariates lie in no ball
    if ball is None:
        return CheckFindings(len(points), invalid)
    return CheckFindings.of_norms(ball.distances(points), ball.radius, invalid)


class Statistic(ABC):
    """What is asked of the records. It never names a mechanism.

    It declares what its records and values are, and how they are shown. Nobody asks for its class:
    ``as_linear``, ``as_cover``, ``as_clipped`` and ``as_map`` give it as what it can also be taken
    for, None where it cannot; what else it can do, it declares by the protocols of
    :mod:`geomdp.statistics.capabilities`.
    """

    #: Tag in plans and manifests.
    tag: ClassVar[str]
    #: What the command asks for it beside the ball.
    options: ClassVar[tuple[Option, ...]] = ()
    #: Whether a plan must know the number of records.
    needs_n: ClassVar[bool] = True
    #: Whom a release cites, where the statistic and not its mechanism is what a paper is about.
    papers: ClassVar[tuple[str, ...]] = ()

    #: Whether a value is written as records are: a mean is, moments and coefficients are not.
    value_is_record: ClassVar[bool] = True

    #: Whether encoded records are points of the public ball, quick to admit on all cores.
    rows_are_points: ClassVar[bool] = False
    #: Name of the part of a report that says what a release means, by what follows from it:
    #: ``"value"`` for a value that is shown as it is, ``"radius"``, ``"moments"``,
    #: ``"regression"``; a plug-in may choose its own.
    section: ClassVar[str] = "value"
    #: Whether the command may leave out the ball: records lie anywhere.
    anywhere: ClassVar[bool] = False
    #: The option by which alone the command knows that it is asked for, where there is one.
    asked_by: ClassVar[Option | None] = None
    #: Whether each record has a label that is private, beside its point (``Records(group=)``).
    labelled: ClassVar[bool] = False
    #: The rule of stages that alone answers it, by name; empty where a mechanism does.
    in_stages: ClassVar[str] = ""
    #: Whether a value holds a mean with its second moments, from which regions follow.
    has_moments: ClassVar[bool] = False
    #: Whether a picture of the value itself tells something.
    pictured: ClassVar[bool] = True
    #: What of a value reports compare, with which public thing, where it is no mean and no centre.
    compared: ClassVar[tuple[str, str] | None] = None
    #: What the rows of a value are, where a table of its numbers does not say it.
    value_note: ClassVar[str] = ""
    #: Where in a record the ball is, if it is not the whole of one: ``"in every voxel"``.
    everywhere: ClassVar[str] = ""

    #: What may be done with an invalid record; the first is the default of a plan.
    policies: ClassVar[tuple[Policy, ...]] = ("refuse", "public")

    @property
    @abstractmethod
    def public_record(self) -> Array:
        """What an invalid record counts as, in the shape of a record: the centre, the template."""

    @property
    def public_row(self) -> Array:
        """The public record, admitted."""
        return np.asarray(self.admit(self.public_record[None]).records[0])

    @property
    def absence(self) -> Fraction:
        """Square of how far a record moves the answer that becomes the public one.

        In units of the largest change by any record, and rounded up: what a person costs who leaves
        a group (docs/theory/persons.md, "Groups"). 1 where no more is known.
        """
        return Fraction(1)

    @property
    def covariate_names(self) -> tuple[str, ...]:
        """Columns that records need beside their points; :meth:`admit` then takes ``Records``."""
        return ()

    def pooled_covariates(
        self, columns: Mapping[str, Any], owner: NDArray[np.intp], count: int
    ) -> dict[str, NDArray[Any]]:
        """Return one value a person of each covariate that is needed: none, where none is."""
        return {}

    @property
    def record_shape(self) -> RecordShape:
        """How a record is written down in files: a point of the space, or like the public one."""
        space = self.record_space
        return RecordShape(self.public_record.shape) if space is None else space.record_shape

    @property
    def fills_gaps(self) -> bool:
        """Whether a missing number of a record is filled from the rest of that record alone."""
        return False

    def under(self, budget: Any, n: int) -> "Statistic":
        """Return what is asked of n records under a record's budget: most statistics as they are.

        A parameter that was left out is chosen here, from public things, and stands in the plan.
        """
        return self

    @property
    def public_value(self) -> Array:
        """A public array in the shape and type of a release: the public record where not said."""
        return self.public_record

    @property
    def value_space(self) -> Space | None:
        """The space that the value is a point of, None for functions, surfaces and vectors."""
        return None

    @property
    def public_ball(self) -> Ball | None:
        """The public ball that holds the records, where there is one."""
        return None

    @property
    def record_space(self) -> Space | None:
        """The space whose points records are; None where they are no points of one."""
        ball = self.public_ball
        return self.value_space if ball is None else ball.space

    @property
    def home_space(self) -> Space | None:
        """The space of the public ball: of a record, or of each part of one; None without one."""
        return self.record_space

    @property
    def public_center(self) -> Array:
        """Centre of the public ball: the public record, unless that has it in many places."""
        return self.public_record

    @property
    def mean_space(self) -> Space | None:
        """The space in which :meth:`mean_point` is shown; None where a value is shown itself."""
        return self.value_space

    def mean_point(self, value: Array) -> Array:
        """Return the mean that a value, or each of an array of values, stands for: mostly itself.

        Never raises on released values.
        """
        return value

    @property
    def curve_in(self) -> "Space | Statistic | None":
        """What a curve along covariates runs through: a space, or functions; None without one."""
        return None

    def as_linear(self) -> "LinearView | None":
        """Return it as a mean of coordinates, which noise can be added to exactly."""
        return None

    def embedded(self) -> "Statistic | None":
        """Return the mean of the same records by an embedding, where there is one."""
        return None

    def of_classes(self, labels: tuple[str, ...]) -> "Statistic | None":
        """Return the means of classes of the same records, whose labels are private."""
        return None

    def as_cover(self) -> "Cover | None":
        """Return it as the radius that holds most records, which is chosen from a grid."""
        return None

    def as_clipped(self) -> "ClippedStatistic | None":
        """Return it as one whose records are clipped to a length about a public record."""
        return None

    def as_map(self) -> "MapMean | None":
        """Return it as a mean in every voxel, whose records are images."""
        return None

    @property
    def vector_dim(self) -> int:
        """Number of entries of a record's vector about the public record."""
        space = self.record_space
        if space is None:
            raise GeomdpError(f"Records of a {self.tag} are no vectors about the public one.")
        return space.dim

    @property
    def blocks(self) -> tuple[int, ...]:
        """Sizes of the parts of a record's vector, each of which is bounded by itself."""
        return (self.vector_dim,)

    @property
    def vector_radius(self) -> float | None:
        """Public bound on the length of a record's vector; None where there is none."""
        ball = self.public_ball
        return None if ball is None else ball.radius

    def records_at(self, vectors: Array) -> Any:
        """Return records whose vectors are these (m, vector_dim)."""
        space = self.record_space
        if space is None:
            raise GeomdpError(f"Records of a {self.tag} are no vectors about the public one.")
        return np.asarray(space.canonical(space.frame_exp(self.public_record, vectors)))

    @property
    def drawn_as(self) -> "Statistic":
        """What a picture of a record is of, where records are no points: mostly itself."""
        return self

    def edge_records(self, around: Callable[[Space, Array, float], Array], most: int) -> Array:
        """Return a few records at the public radius, to be drawn; none where they are not known.

        ``around`` gives points of a space at one distance from a point.
        """
        ball = self.public_ball
        if ball is None:
            return np.empty(0)
        edge = around(ball.space, ball.center, ball.reach)
        return edge[:: max(1, len(edge) // most)][:most]

    @property
    def public_radius(self) -> float | None:
        """Largest distance of an answer from the public value, measured as errors are."""
        ball = self.public_ball
        return None if ball is None else ball.reach

    @property
    def compared_within(self) -> float | None:
        """How far the true answer is from what is public at most; None where nobody says."""
        return None if self.in_stages else self.public_radius

    @property
    def pooling(self) -> Pooling | None:
        """Where the records of one person are averaged; None where nothing is known of that."""
        ball = self.public_ball
        return None if ball is None else TangentPooling(ball.space, ball.center, ball.reach)

    @property
    def of_persons(self) -> "Statistic":
        """What is asked of one record a person: the same, of records that were prepared before."""
        return self

    @abstractmethod
    def admit(self, records: Any) -> Admitted:
        """Let records in: parse, judge and clip, one at a time. Total but for their shape.

        Whatever numbers the records hold, each becomes one row that the sensitivity covers.

        Raises
        ------
        InvalidRecordError
            Only for public facts: the number and the shape of the records.
        """

    def encode(self, records: Any) -> Array:
        """Admit records; refuse invalid ones, unless they always count as the public one."""
        return self.admit(records).under(self.policies[0])

    def encode_public(self, at: Any) -> Array:
        """Encode one public record, or several, for a simulation."""
        space = self.record_space
        records = np.asarray(at) if space is None else space.require(at, what="public points")
        one = self.public_record.ndim if space is None else len(space.point_shape)
        return self.encode(records[None] if records.ndim == one else records)

    def check(self, records: Any) -> CheckFindings:
        """Look at records for the curator alone: what is invalid, and what would be clipped.

        Spends nothing, and nothing of it may be published or change the plan. Statistics without a
        ball say how far their records lie from the public one.

        Raises
        ------
        InvalidRecordError
            Only for public facts: the number and the shape of the records.
        """
        return check_in_ball(self.public_ball, records, self.admit(records).invalid)

    def tolerance(self, n: int) -> float:
        """Public bound on how inexactly :meth:`estimate` may solve its equation."""
        return 0.0

    @abstractmethod
    def estimate(self, encoded: Any, tolerance: float) -> Array:
        """Return the non-private answer, a value in the shape of a release, to a public tolerance.

        Never raises on admitted records.

        Parameters
        ----------
        encoded
            :class:`~geomdp.statistics.encoded.Encoded` records, or an array of them.
        tolerance
            Public; 0 where no equation is solved.
        """

    @abstractmethod
    def sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Bound on the change of :meth:`estimate` between neighbours, its tolerance included."""

    def title_in(self, seen: Any) -> str:
        """Return a heading for a private release of what :meth:`Reading.seen_in` gives, if any."""
        if seen is None:
            return "Private statistic"
        what = "statistic" if self.public_ball is None else "mean"
        return f"Private {what} {seen.preposition} {seen.title}"

    def distance_words(self, distance: float) -> str:
        """Say what follows the number of an error, where a value is no point of a space."""
        return ""

    def moved_by_clipping(self, outer: float) -> Moved | None:
        """Bound what clipping does to the answer, where records lie within ``outer``; or None."""
        return None

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what is asked."""

    @abstractmethod
    def to_json(self) -> Document:
        """Describe with public things only, enough to build the statistic again."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:
        """Build the statistic from a public ball alone, as the command does.

        Raises
        ------
        GeomdpError
            If it needs more than that.
        """
        raise GeomdpError(f"A ball alone does not say what a {cls.tag} is; plan it in Python.")

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:
        """Build the statistic from a public ball and what was typed for its :attr:`options`."""
        return cls.in_ball(ball)


#: Statistics by tag.
STATISTICS: Registry[type[Statistic]] = Registry(
    "statistic", own=("geomdp.statistics.*", "geomdp.curves", "geomdp.surfaces")
)


class PointStatistic(Statistic):
    """A statistic whose answer is a point of a space."""

    rows_are_points: ClassVar[bool] = True
    #: Where the answer lives.
    space: Space
    #: The public ball that holds the records, where there is one.
    ball: Ball | None

    @property
    def value_space(self) -> Space:
        """Where the answer lives."""
        return self.space

    @property
    def public_ball(self) -> Ball | None:  # noqa: D102
        return self.ball

    @property
    def public_record(self) -> Array:
        """The centre of the ball, or the origin of the space."""
        return self.space.origin(np.empty(0)) if self.ball is None else self.ball.center


class InBall(Statistic):
    """A statistic that a public ball alone describes."""

    ball: Ball

    @property
    def public_ball(self) -> Ball:  # noqa: D102
        return self.ball

    @property
    def public_record(self) -> Array:  # noqa: D102
        return self.ball.center

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:  # noqa: D102
        return cls(ball)  # type: ignore[call-arg]

    def to_json(self) -> Document:  # noqa: D102
        return {"tag": self.tag, **self.ball.to_json()}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(Ball.from_json(document))  # type: ignore[call-arg]
