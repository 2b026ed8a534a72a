"""The statistic ``ExtrinsicMean``: the nearest point to the mean of embedded records."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.options import PUBLIC, Given, Option, read_number
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.embedding import Directions, Embedding
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.base import STATISTICS, CheckFindings, check_in_ball
from geomdp.statistics.linear import LinearStatistic, forwarded
from geomdp.statistics.moments import STACK_BITS
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array

FLOOR = Option(
    "--length-floor",
    "Of an extrinsic mean: public floor of the resultant length, from 0 to 1, for which the error "
    "is forecast; 1, the default, is that of records that lie together.",
    panel=PUBLIC,
    metavar="FLOAT",
    read=read_number,
)


@dataclass(frozen=True, eq=False)
class ExtrinsicMean(LinearStatistic):
    """Mean direction, mean rotation, mean shape: nearest to the mean of the records in R^m.

    Needs no ball, and has no cut locus: records may lie anywhere. One record moves the mean by the
    diameter of the embedded space over n (docs/theory/extrinsic.md). A release is the mean of the
    embedded records, an array (D,); :meth:`mean_point` finds the nearest point, and its length says
    how far they agree.

    Parameters
    ----------
    space
        Compact, with an embedding: spheres, axes, subspaces, rotations, planar shapes and their
        products.
    cap
        A public ball that holds the records, if one is known; they are clipped to it.
    positive
        Whether entries are 0 or more, as those of compositions are: less noise. A record with
        another is invalid, and the mean has none.
    floor
        Public floor of the resultant length, for which the error is forecast.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = ExtrinsicMean(dp.Sphere(2))
    >>> mean.sensitivity(100).value
    0.02
    >>> records = mean.encode([[0.0, 0.6, -0.8], [0.0, -0.6, -0.8]])
    >>> mean.estimate(records).tolist(), mean.mean_point(mean.estimate(records)).tolist()
    ([0.0, 0.0, -0.8], [0.0, 0.0, -1.0])
    """

    space: Space
    cap: Ball | None = None
    positive: bool = False
    floor: float = 1.0
    tag: ClassVar[str] = "extrinsic-mean"
    options: ClassVar[tuple[Option, ...]] = (FLOOR,)
    anywhere: ClassVar[bool] = True
    section: ClassVar[str] = "extrinsic"
    compared: ClassVar[tuple[str, str]] = ("the mean", "centre of the cap, which costs nothing")
    value_note: ClassVar[str] = (
        "These are coordinates of the mean of the embedded records; the point that is nearest to "
        "it stands below."
    )
    value_is_record: ClassVar[bool] = False
    proof: ClassVar[str] = "extrinsic"
    record_bits: ClassVar[int] = STACK_BITS
    kept_raw: ClassVar[str] = "means of embedded records"
    pure_stack: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.cap is not None and (self.cap.space != self.space or self.cap.form is not None):
            raise GeomdpError("The cap of an extrinsic mean is a round ball on the same space.")
        if not 0 < self.floor <= 1:
            raise GeomdpError(f"The floor of a length is above 0 and at most 1, not {self.floor}.")
        self.embedding  # noqa: B018  refuses now what has none

    @cached_property
    def embedding(self) -> Embedding:
        """How the space, or the cap, lies in a Euclidean one."""
        found = self.space.embedding
        if found is None:
            raise GeomdpError(
                f"{self.space.spec} has no embedding that an extrinsic mean could be taken in; use "
                "a Fréchet or tangent mean in a ball."
            )
        if not self.positive:
            return found if self.cap is None else found.within(self.cap.center, self.cap.radius)
        if self.cap is not None or not self.space.of_unit_vectors or not self.space.space_form:
            raise GeomdpError("Positive entries are those of a whole unit sphere, without a cap.")
        return Directions(self.space.dim + 1, positive=True)

    # --- what the release path needs ------------------------------------------------------------

    @property
    def record_space(self) -> Space:  # noqa: D102
        return self.space

    @property
    def mean_space(self) -> Space:  # noqa: D102
        return self.space

    @property
    def public_value(self) -> Array:
        """The embedded public record."""
        at: Array = self.decode(self.embedding.coordinates(self._public_vector[None])[0])
        return at

    @property
    def public_record(self) -> Array:
        """Centre of the cap, or origin of the space; of compositions that of equal shares."""
        if self.positive:
            return np.full(self.space.dim + 1, 1 / np.sqrt(self.space.dim + 1))
        if self.cap is not None:
            return self.cap.center
        return np.asarray(self.space.canonical(self.space.origin(np.empty(0))))

    @property
    def public_radius(self) -> float:  # noqa: D102
        return self.space.farthest / (2 if self.positive else 1)

    @property
    def compared_within(self) -> float | None:  # noqa: D102
        return None if self.cap is None else self.cap.radius

    @property
    def radius(self) -> float:
        """Bound on each of a record's vectors."""
        return self.embedding.radius

    # As of the embedding.
    blocks = forwarded("embedding.blocks")
    degrees = forwarded("embedding.degrees")
    largest = forwarded("embedding.largest")
    noise_profile = forwarded("embedding.profile")
    #: That of the embedded space, for any integer vectors that are short enough.
    diameter = forwarded("embedding.diameter")
    integer_sums = forwarded("embedding.sums")
    kept_short = forwarded("embedding.kept_short")

    @property
    def reach_squared(self) -> Fraction:
        """The public record is a point as others are, and may be as far from one as any."""
        return self.diameter**2

    @property
    def public_row(self) -> Array:
        """Vectors of the public record: never zeros, which are no point."""
        return self._public_vector

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.noise_profile.size)

    @property
    def flat(self) -> bool:  # noqa: D102
        return False

    @property
    def pooling(self) -> Pooling:
        """A person is the extrinsic mean of their records."""
        return EmbeddedPooling(self)

    def admit(self, records: Any) -> Admitted:
        """Vectors (n, ...) of records; what is no record is the public one, never zeros."""
        if self.cap is None:
            points, invalid = self.space.parse(records, instead=self.public_record)
            for row in np.flatnonzero(np.any(points < 0, axis=-1) & self.positive).tolist():
                invalid.setdefault(row, "it has an entry below 0: square roots of shares have none")
                points[row] = self.public_record
        else:
            inside = self.cap.admit(records)
            points, invalid = inside.records, dict(inside.invalid)
        with np.errstate(all="ignore"):
            vectors = self.embedding.vectors(points)
            finite = np.all(np.isfinite(vectors), axis=-1, keepdims=True)
            return Admitted(np.where(finite, vectors, self._public_vector), invalid)

    @cached_property
    def _public_vector(self) -> Array:
        return self.embedding.vectors(self.public_record[None])[0]

    def check(self, records: Any) -> CheckFindings:
        """Say how far records lie from the middle of the cap, where there is one."""
        return check_in_ball(self.cap, records, self.admit(records).invalid)

    def mean_coordinates(self, encoded: Any) -> Array:
        """Coordinates (D,) of the mean of the embedded records, in floats."""
        vectors = np.asarray(encoded)
        return np.asarray(self.integer_sums(vectors), dtype=float) / len(vectors)

    def decode(self, coordinates: Array) -> Array:
        """Return the coordinates themselves; in a cap about its middle."""
        return np.asarray(coordinates)

    def to_coordinates(self, values: Array) -> Array:
        """Inverse of :meth:`decode`."""
        return np.asarray(values)

    def mean_point(self, value: Array) -> Array:
        """Nearest points of the space; the public one where none is nearest: a tie, or zero."""
        rows = np.reshape(value, (-1, self.noise_profile.size))
        return self._certain(self.embedding.points, rows, np.shape(value)[:-1])

    def records_at(self, vectors: Array) -> Array:
        """Points with these vectors."""
        return self._certain(self.embedding.points_of, np.asarray(vectors), (len(vectors),))

    def _certain(self, points_of: Any, rows: Array, batch: tuple[int, ...]) -> Array:
        with np.errstate(all="ignore"):
            points = np.asarray(self.space.canonical(points_of(rows)))
        axes = tuple(range(1, points.ndim))
        good = np.all(np.isfinite(points), axis=axes, keepdims=True)
        return np.where(good, points, self.public_record).reshape(*batch, *self.space.point_shape)

    # --- what is known before anything is spent -------------------------------------------------

    def error_of(self, noise: Array) -> Array:
        """Distances of releases from the mean of records that agree as far as the floor says."""
        together = self.embedding.coordinates(self._public_vector[None])
        at = self.embedding.shortened(together, self.floor)
        return np.asarray(self.space.dist(self.public_record, self.mean_point(at + noise)))

    @property
    def simulated_at(self) -> str:  # noqa: D102
        if self.floor == 1:
            return "records that lie together"
        return f"records with a resultant length of {self.floor:g}"

    def lattice_error(self, step: float) -> float:
        """Bound by the vectors: a product of two entries moves by twice as much as each."""
        return float(np.max(self.degrees) * np.sqrt(self.vector_dim) * step / 2)

    @property
    def bias_note(self) -> str:  # noqa: D102
        return (
            "distance to the extrinsic mean (the point nearest to the mean of the records in R^m), "
            "not to the Fréchet mean, which is the better question in a small known ball; the "
            "error grows as the resultant length falls: 1 where records lie together, 0 where they "
            "point everywhere"
        )

    def length(self, value: Array) -> float:
        """Resultant length of a mean: 1 where all records are one point."""
        together = self.embedding.coordinates(self._public_vector[None])
        whole = float(self.embedding.lengths(together)[0])
        return float(self.embedding.lengths(np.reshape(value, (1, -1)))[0]) / whole

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private extrinsic mean {seen.preposition} {seen.title}"

    def describe(self) -> str:  # noqa: D102
        within = "" if self.cap is None else f", in a cap of radius {self.cap.radius:.6g}"
        within += ", of entries from 0 up" * self.positive
        return f"extrinsic mean on {self.space.spec}{within}"

    def to_json(self) -> Document:  # noqa: D102
        cap = {} if self.cap is None else {"cap": self.cap.to_json()}
        positive = {"positive": True} if self.positive else {}
        floor = {} if self.floor == 1 else {"floor": self.floor}
        return {"tag": self.tag, "space": self.space.spec, **cap, **positive, **floor}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        cap = Ball.from_json(document["cap"]) if "cap" in document else None
        positive = bool(document.get("positive", False))
        return cls(space_from_spec(document["space"]), cap, positive, document.get("floor", 1.0))

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:
        """Take the ball for a cap, unless it is the whole space."""
        return cls(ball.space, ball if ball.radius < ball.space.farthest else None)

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:
        """Compositions have entries from 0 up, which a cap makes no use of."""
        plain = cls.in_ball(ball)
        positive = bool(given.get("compositions")) and plain.cap is None
        floor = given[FLOOR.key] if given.said(FLOOR) else 1.0
        return replace(plain, positive=positive, floor=floor)


@dataclass(frozen=True, eq=False)
class EmbeddedPooling(Pooling):
    """Coordinates of phi, and the nearest point to their mean: no cut locus here either."""

    mean: ExtrinsicMean

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return int(self.mean.noise_profile.size)

    def vectors(self, records: Any) -> Admitted:
        """Coordinates of phi, record by record."""
        admitted = self.mean.admit(records)
        return Admitted(self.mean.embedding.coordinates(admitted.records), admitted.invalid)

    def records(self, means: Array) -> Array:
        """Nearest points; the public one where there is none, as for who has no records."""
        return self.mean.mean_point(means)


STATISTICS.register(ExtrinsicMean.tag, ExtrinsicMean)
