"""What every space offers, and nothing about privacy."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.spaces.embedding import Embedding
from geomdp.spaces.numerics import linalg
from geomdp.spaces.numerics.compiling import compiled
from geomdp.spaces.numerics.linalg import home
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rows import Rows, as_real, declared_shape, numbers, plain, rows_of
from geomdp.typing import Array, HessianRoad


@dataclass(frozen=True)
class Membership:
    """Whether points lie on a space, and if not, why not.

    >>> bool(Membership("record 3 has norm 2, not 1"))
    False
    """

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


class Space(ABC):
    """A homogeneous manifold with its metric.

    Base point first, leading axes are batch axes: ``exp(p, v)``, ``log(p, q)``, ``dist(p, q)``. A
    new space is one file that fills in this interface; means, balls, sensitivities, samplers and
    plans then work on it unchanged. Arrays may come from any array-API library, or be arrays of
    balls in the methods that sampling needs (:meth:`exp` at the origin, :meth:`move`,
    :meth:`coordinates`, :meth:`dist`, the volume densities).
    """

    #: Dimension of the manifold.
    dim: int
    #: Whether there is a total chart and no bound on the curvature: tangent statistics alone.
    chart_only: ClassVar[bool] = False
    #: Whether its origin is called the identity.
    has_identity: ClassVar[bool] = False
    #: Whether a point may be written as any vector of its direction, such as a unit vector.
    by_direction: ClassVar[bool] = False
    #: Whether it is a whole sphere or hyperbolic space, up to scale: more is proved of these.
    space_form: ClassVar[bool] = False
    #: Whether it is the projective space of dimension 3, up to scale, as rotations are.
    projective: ClassVar[bool] = False
    #: Whether points are all unit vectors with ``dim + 1`` entries, and distances their angles.
    of_unit_vectors: bool = False
    #: Spaces of the parts of a record; none where it has no parts.
    factors: tuple["Space", ...] = ()
    #: Whether ``log(p, q)`` is ``log(o, q) - log(o, p)``, so that one pass finds a mean.
    linear: ClassVar[bool] = False
    #: Whether :meth:`log_sum` has a formula of its own, cheaper than the logs one by one.
    fast_sums: bool = False
    #: Numbers of a chunk that :meth:`log_sum` is best given; None: as many as fit a core's cache.
    chunk_numbers: int | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Shortcuts of a parent are those of its own maps.
        if cls.__dict__.keys() & {"exp", "log"}:
            if "log_sum" not in cls.__dict__:
                cls.log_sum = Space.log_sum  # type: ignore[method-assign]
                cls.fast_sums = False
            for claim in {"linear", "space_form", "projective"} - cls.__dict__.keys():
                setattr(cls, claim, False)

    # --- public facts -------------------------------------------------------------------------

    @property
    @abstractmethod
    def spec(self) -> str:
        """Short name that manifests and the command use, such as ``"sphere:2"``."""

    #: What stands between a statistic and the title of the space: a mean *on* the sphere.
    preposition: ClassVar[str] = "on"

    @property
    def title(self) -> str:
        """Name as people say it, such as "the sphere S²"; the short name where not said."""
        return self.spec

    def distance_words(self, distance: float) -> str:
        """Say what follows the number of a distance: its unit, and what it means; mostly nothing.

        >>> import geomdp as dp
        >>> f"0.02{dp.SPD(3).distance_words(0.02)}"
        '0.02 (no variance off by more than 2.02%)'
        """
        return ""

    @property
    def record_caution(self) -> str:
        """What files of such records are often mistaken for, in a sentence; mostly nothing."""
        return ""

    @property
    @abstractmethod
    def point_shape(self) -> tuple[int, ...]:
        """Shape of one point."""

    @property
    def record_shape(self) -> RecordShape:
        """How a record is written down in real numbers: complex ones as pairs."""
        if np.iscomplexobj(self.origin(np.empty(0))):
            return RecordShape((*self.point_shape, 2), complex=True, landmarks=True)
        return RecordShape(self.point_shape)

    @property
    @abstractmethod
    def curvature_bounds(self) -> tuple[float, float]:
        """Smallest and largest sectional curvature."""

    @property
    @abstractmethod
    def injectivity_radius(self) -> float:
        """Radius within which geodesics from a point are unique."""

    @property
    def farthest(self) -> float:
        """Largest distance of two points: beyond it there is no volume, and no radius is wider.

        The injectivity radius on spheres, shapes and rotations, infinite on unbounded spaces.
        """
        return self.injectivity_radius

    @property
    def laplace_rate_limit(self) -> float:
        """The Laplace law exists only if ``1/scale`` is above this (0: it always exists)."""
        return 0.0

    @property
    def embedding(self) -> Embedding | None:
        """How the space lies in a Euclidean one, for means without a cut locus; None if unknown."""
        return None

    # --- points -------------------------------------------------------------------------------

    @abstractmethod
    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:
        """Yield pairs (mask of failing points, reason), the first matters most."""

    def canonical(self, x: Array) -> Array:
        """Return valid points with exactly the space's constraints (unit norm, ...)."""
        return x

    def surely_canonical(self, x: Array) -> bool:
        """Tell at a glance that all are valid points in canonical form; False says nothing."""
        return False

    def nearly_canonical(self, x: Array) -> bool:
        """Tell at a glance that all are valid points, off their canonical form by rounding alone.

        Spares a mean that nobody relies on for privacy a copy of the records; False says nothing.
        """
        return self.surely_canonical(x)

    def plainly_inside(self, center: Array, reach: float) -> Callable[[Array], Array] | None:
        """Return what tells at a glance which arrays of doubles need no door; None where none does.

        True, of a row, only where it is a valid point in canonical form, which :meth:`resolved`
        leaves as it is, within ``reach`` of a centre (docs/theory/plainly-inside.md). False says
        nothing. What is returned can be pickled.
        """
        return None

    def resolved(self, center: Array, x: Array) -> Array:
        """Replace points whose direction from ``center`` floats cannot tell by some that have one.

        Those of extreme size, or at the cut locus; all others stay as they are, bit for bit. Each
        is a function of that point and of the centre alone (docs/theory/clipping.md).
        """
        return x

    def resolves(self, center: Array, reach: float, length: float) -> bool:
        """Tell whether noise of a length, at points within ``reach`` of a centre, stays in floats.

        By public facts alone: a plan asks, so that nothing is drawn that cannot be written down.
        """
        return True

    def contains(self, x: Any) -> Membership:
        """Tell whether every point of ``x`` lies on the space, and explain if not.

        >>> import geomdp as dp
        >>> print(dp.Euclidean(2).contains([0.0, float("nan")]).reason)
        it has a missing or infinite entry
        """
        x = self._as_array(x)
        if problem := self._shape_problem(x):
            return Membership(problem)
        for mask, reason in chain(self._finite(x), self.violations(x)):
            bad = np.flatnonzero(home(mask))
            if bad.size:
                where = f"record {bad[0]}: " if x.ndim > len(self.point_shape) else ""
                return Membership(f"{where}{reason}")
        return Membership()

    def _shape_problem(self, x: Array) -> str:
        """Say why an array cannot hold points of this space, whatever its numbers; else nothing."""
        start = x.ndim - len(self.point_shape)
        if start >= 0 and tuple(x.shape[start:]) == self.point_shape:
            return ""
        return (
            f"points of {self.spec} have shape {self.point_shape}, "
            f"but the array has shape {tuple(x.shape)}; check the order of the axes"
        )

    def require(self, x: Any, what: str = "records") -> Array:
        """Return valid points in canonical form, or name the first that fails and the reason."""
        try:
            x = self._as_array(x)
        except (TypeError, ValueError) as error:
            raise InvalidRecordError(
                f"The {what} cannot be read as numbers, in shape {self.point_shape} each; "
                "check for text, missing entries or points of different sizes."
            ) from error
        if self.surely_canonical(x):
            return x
        membership = self.contains(x)
        if not membership:
            raise InvalidRecordError(
                f"The {what} must lie on {self.spec}, but {membership.reason}."
            )
        return self.canonical(x)

    def require_center(self, x: Any) -> Array:
        """Return one point that may be the centre of a ball, or raise one clear sentence."""
        return self.require(x, what="centre")

    def parse(self, records: Any, instead: Array) -> tuple[Array, dict[int, str]]:
        """Read records as doubles and judge each: canonical points, and reasons by row.

        What is no point of the space is replaced by ``instead``, a point in doubles; an array that
        as a whole has another shape than records of this space is refused.
        """
        rows = self.rows(records)
        x, invalid = rows.numbers, dict(rows.invalid)
        if not invalid and self.surely_canonical(x):
            return x, invalid
        with np.errstate(all="ignore"):
            x[list(invalid)] = instead
            for rule in (self._finite, self.violations):
                for mask, reason in rule(x):
                    for row in np.flatnonzero(np.asarray(mask)):
                        invalid.setdefault(int(row), reason)
                # Later rules may rely on what earlier ones asked for.
                x[list(invalid)] = instead
            points = self.canonical(x)
        points[list(invalid)] = instead  # bit for bit: canonical forms may differ by rounding
        return points, invalid

    @property
    def record_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes in which a record may come: as a point, or as it is written down."""
        return tuple(dict.fromkeys((self.point_shape, self.record_shape.shape)))

    def rows(self, records: Any) -> Rows:
        """Read records as arrays of the shape of a point, whatever their numbers, each by itself.

        Records that as a whole have another shape are refused.
        """
        whole = plain(records)
        if whole is not None:
            return self._rows(whole)
        declared = declared_shape(records)
        if declared is not None and declared not in self.record_shapes:
            self._rows(np.empty((len(records), *declared)))
        kind = np.result_type(self.origin(np.empty(0)), np.float64)
        return rows_of(records, self._row, np.full(self.point_shape, np.nan, dtype=kind))

    def _rows(self, whole: Array) -> Rows:
        """Rows of an array of numbers, or a refusal of its shape."""
        wide = np.iscomplexobj(self.origin(np.empty(0))) and whole.shape[1:] == self.point_shape
        rows = Rows(whole) if wide else as_real(whole)
        x = self._fitting(rows.numbers)
        if x.ndim != 1 + len(self.point_shape):
            raise InvalidRecordError(
                f"Records of {self.spec} come one a row, in an array of shape "
                f"(n, {', '.join(map(str, self.point_shape))}), not {tuple(x.shape)}."
            )
        return Rows(x, rows.invalid)

    def _row(self, record: Any) -> Array:
        """Read one record, which is refused with a reason for this record alone."""
        found = numbers(record)
        try:
            one = self._rows(found[None])
        except InvalidRecordError:
            shapes = " or ".join(map(str, self.record_shapes))
            kind = " of complex numbers" if np.iscomplexobj(found) else ""
            raise InvalidRecordError(
                f"it is an array of shape {found.shape}{kind} where points of {self.spec} have "
                f"shape {shapes}"
            ) from None
        if one.invalid:
            raise InvalidRecordError(one.invalid[0])
        row: Array = one.numbers[0]
        return row

    def doubles(self, points: Any) -> Array:
        """Read an array of points in doubles, whatever its numbers, or refuse its shape."""
        whole = plain(points)
        if whole is None:
            with suppress(TypeError, ValueError):  # points of different shapes
                whole = plain(np.asarray(points))
        if whole is None:
            return self.rows(points).numbers
        return self._fitting(whole)

    def _fitting(self, numbers: Array) -> Array:
        x = self._as_array(numbers)
        if problem := self._shape_problem(x):
            raise InvalidRecordError(f"The records must lie on {self.spec}, but {problem}.")
        return x

    def _as_array(self, x: Any) -> Array:
        return linalg.as_floating(x)

    def _finite(self, x: Array) -> Iterator[tuple[Array, str]]:
        yield ~linalg.all_finite(x, len(self.point_shape)), "it has a missing or infinite entry"

    # --- geometry -----------------------------------------------------------------------------

    @abstractmethod
    def exp(self, p: Array, v: Array) -> Array:
        """Follow the geodesic that leaves ``p`` with velocity ``v`` for unit time."""

    @abstractmethod
    def log(self, p: Array, q: Array) -> Array:
        """Velocity at ``p`` of the geodesic that reaches ``q`` in unit time."""

    @abstractmethod
    def dist(self, p: Array, q: Array) -> Array:
        """Geodesic distance."""

    @abstractmethod
    def inner(self, p: Array, u: Array, v: Array) -> Array:
        """Inner product of tangent vectors at ``p``."""

    def norm(self, p: Array, v: Array) -> Array:
        """Length of a tangent vector at ``p``."""
        return linalg.namespace(v).sqrt(self.inner(p, v, v))

    @abstractmethod
    def transport(self, p: Array, q: Array, v: Array) -> Array:
        """Parallel transport of ``v`` from ``p`` to ``q`` along the geodesic."""

    @abstractmethod
    def log_and_hessian(self, p: Array, q: Array) -> tuple[Array, Callable[[Array], Array]]:
        """Return ``log(p, q)``, and the Hessian at ``p`` of half the squared distance to each.

        It takes a tangent vector at ``p`` to one a point of ``q``; they share a decomposition.
        """

    @compiled
    def log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array:
        """Sum of many logs, each times its share; what is certified sums those of :meth:`log`."""
        log = self.log(p, q)
        return linalg.tree_sum(log if shares is None else linalg.as_column(shares, log.ndim) * log)

    def judged_log_sum(self, p: Array, q: Array, shares: Array | None = None) -> Array | None:
        """As :meth:`log_sum`, if that shows by the way that all are valid points; else None."""
        return None

    def hessian_road(self, p: Array, q: Array) -> HessianRoad | None:
        """How logs and Hessians at p of many like q are summed, if that costs little more."""
        return None

    def rough_mean(self, q: Array, shares: Array | None = None) -> Array | None:
        """Return a point near the mean of many, to start at, at the price of a sum; or None."""
        return None

    def proved_dist(self, p: Array, x: Array) -> Array:
        """Distances in intervals, also of points so close that eigenvalues are not separated."""
        return self.dist(p, x)

    @abstractmethod
    def log_rounding(self, center: Array, radius: float) -> float:
        """Bound on the float error of ``log(p, q)`` for points within ``radius`` of ``center``."""

    def chart_radius(self, center: Array) -> float:
        """Length up to which ``frame_log`` at a centre inverts ``frame_exp``: for verification."""
        return self.injectivity_radius

    # --- what exact sampling needs --------------------------------------------------------------

    @abstractmethod
    def origin(self, like: Array) -> Array:
        """Return the fixed base point at which noise is drawn, as an array like ``like``."""

    @abstractmethod
    def from_frame(self, coordinates: Array) -> Array:
        """Tangent vector at the origin with these coordinates in a fixed orthonormal frame."""

    @abstractmethod
    def to_frame(self, v: Array) -> Array:
        """Inverse of :meth:`from_frame`: coordinates of a tangent vector at the origin."""

    @abstractmethod
    def move(self, p: Array, x: Array) -> Array:
        """Apply to ``x`` an isometry that takes the origin to ``p``."""

    @abstractmethod
    def move_back(self, p: Array, x: Array) -> Array:
        """Apply to ``x`` the inverse of the isometry of :meth:`move`."""

    def frame_log(self, p: Array, x: Array) -> Array:
        """Coordinates of ``log(p, x)`` in the orthonormal frame that :meth:`move` carries to ``p``.

        >>> import geomdp as dp
        >>> dp.Euclidean(2).frame_log(np.ones(2), np.array([3.0, 1.0])).tolist()
        [2.0, 0.0]
        """
        at_origin = self.move_back(p, x)
        return self.to_frame(self.log(self.origin(at_origin), at_origin))

    def frame_exp(self, p: Array, coordinates: Array) -> Array:
        """Inverse of :meth:`frame_log`, defined for every vector of coordinates."""
        at_origin = self.exp(self.origin(coordinates), self.from_frame(coordinates))
        return self.move(p, at_origin)

    @abstractmethod
    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """Log density of the volume at radius ``t`` in the unit frame ``direction``."""

    def log_volume_envelope(self, t: Array) -> Array:
        """Radial upper bound of :meth:`log_volume_density`, concave in ``t``.

        The default fits spaces whose density does not depend on the direction.
        """
        return self.log_volume_density(t, linalg.constant(linalg.first_axis(self.dim), t))

    # --- the public chart -----------------------------------------------------------------------

    @abstractmethod
    def coordinates(self, x: Array) -> Array:
        """Return public coordinates of a point, which a release rounds to a public grid."""

    @abstractmethod
    def point(self, coordinates: Array) -> Array:
        """Return the point of the space that belongs to (rounded) public coordinates."""


def percent(share: float) -> str:
    """Return a share as people read it; beyond 100% as a factor."""
    return f"{100 * share:.3g}%" if share < 1 else f"a factor of {1 + share:.3g}"
