"""The statistic ``ExtrinsicMean``: the nearest point to the mean of embedded records."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.embedding import Embedding
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics.base import STATISTICS, CheckFindings, check_in_ball
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.moments import STACK_BITS
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array


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
        Compact, with an embedding: spheres, rotations, planar shapes and their products.
    cap
        A public ball that holds the records, if one is known; they are clipped to it.

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
    tag: ClassVar[str] = "extrinsic-mean"
    value_is_record: ClassVar[bool] = False
    proof: ClassVar[str] = "extrinsic"
    record_bits: ClassVar[int] = STACK_BITS
    pure_stack: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.cap is not None and (self.cap.space != self.space or self.cap.form is not None):
            raise GeomdpError("The cap of an extrinsic mean is a round ball on the same space.")
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
        return found if self.cap is None else found.within(self.cap.center, self.cap.radius)

    # --- what the release path needs ------------------------------------------------------------

    @property
    def record_space(self) -> Space:  # noqa: D102
        return self.space

    @property
    def public_value(self) -> Array:
        """The embedded public record."""
        at: Array = self.decode(self.embedding.coordinates(self._public_vector[None])[0])
        return at

    @property
    def public_record(self) -> Array:
        """Centre of the cap, or origin of the space."""
        if self.cap is not None:
            return self.cap.center
        return np.asarray(self.space.canonical(self.space.origin(np.empty(0))))

    @property
    def public_radius(self) -> float:  # noqa: D102
        return self.space.farthest

    @property
    def radius(self) -> float:
        """Bound on each of a record's vectors."""
        return self.embedding.radius

    @property
    def blocks(self) -> tuple[int, ...]:  # noqa: D102
        return self.embedding.blocks

    @property
    def degrees(self) -> Array:  # noqa: D102
        return self.embedding.degrees

    @property
    def largest(self) -> Array:  # noqa: D102
        return self.embedding.largest

    @property
    def reach_squared(self) -> Fraction:
        """The public record is a point as others are, and may be as far from one as any."""
        return self.diameter**2

    @property
    def public_row(self) -> Array:
        """Vectors of the public record: never zeros, which are no point."""
        return self._public_vector

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        return self.embedding.profile

    @cached_property
    def shrinkage(self) -> Array:  # noqa: D102
        return np.ones(self.noise_profile.size)

    @property
    def diameter(self) -> Fraction:
        """That of the embedded space, for any integer vectors that are short enough."""
        return self.embedding.diameter

    @property
    def flat(self) -> bool:  # noqa: D102
        return False

    @property
    def pooling(self) -> Pooling:
        """A person is the extrinsic mean of their records."""
        return EmbeddedPooling(self)

    def integer_sums(self, vectors: Any) -> Any:  # noqa: D102
        return self.embedding.sums(vectors)

    def admit(self, records: Any) -> Admitted:
        """Vectors (n, ...) of records; what is no record is the public one, never zeros."""
        if self.cap is None:
            points, invalid = self.space.parse(records, instead=self.public_record)
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
        """Distances of releases from the mean of records that lie together."""
        at = self.embedding.coordinates(self._public_vector[None])
        return np.asarray(self.space.dist(self.public_record, self.mean_point(at + noise)))

    @property
    def simulated_at(self) -> str:  # noqa: D102
        return "records that lie together"

    def lattice_error(self, step: float) -> float:
        """Bound by the vectors: a product of two entries moves by twice as much as each."""
        return float(np.max(self.degrees) * np.sqrt(self.vector_dim) * step / 2)

    @property
    def bias_note(self) -> str:  # noqa: D102
        return (
            "distance to the extrinsic mean, not the Fréchet mean; divide it by the length of the "
            "mean of the embedded records where they are dispersed"
        )

    def describe(self) -> str:  # noqa: D102
        within = "" if self.cap is None else f", in a cap of radius {self.cap.radius:.6g}"
        return f"extrinsic mean on {self.space.spec}{within}"

    def to_json(self) -> Document:  # noqa: D102
        cap = {} if self.cap is None else {"cap": self.cap.to_json()}
        return {"tag": self.tag, "space": self.space.spec, **cap}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        cap = Ball.from_json(document["cap"]) if "cap" in document else None
        return cls(space_from_spec(document["space"]), cap)


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
