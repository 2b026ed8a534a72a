"""The public ball that every record is clipped into."""

import math
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from geomdp import intervals
from geomdp.errors import InvalidBallError, InvalidRecordError
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted, in_doubles
from geomdp.spaces.base import Space
from geomdp.spaces.chart_space import only_a_chart
from geomdp.spaces.denoiser import Denoiser
from geomdp.spaces.forms import as_form, roots_of
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.spaces.rows import plain
from geomdp.spaces.specs import space_from_spec
from geomdp.typing import Array

#: How much of the radius a record that fails the check is moved to, one after the other; a record
#: that fails them all counts as the centre.
SHARES = (1.0, 1 - 2.0**-20, 0.9, 0.5)
#: Canonical forms of canonical forms are taken so often at most: they differ by last digits.
SETTLING = 8
#: Bits of proved distances; ill-conditioned matrices need more than points do.
BITS = 200


def largest_radius(space: Space) -> float:
    """Return the radius that balls on a space must stay below.

    Half the injectivity radius always; on positive curvature k also ``pi / (3 sqrt(k))``, where the
    bounds of docs/theory/sensitivity-of-the-mean.md end. Single mechanisms may ask for less.

    >>> import geomdp as dp
    >>> round(largest_radius(dp.Sphere(2)) / np.pi, 4)
    0.3333
    """
    if space.chart_only:
        raise InvalidBallError(only_a_chart(space))
    half = space.injectivity_radius / 2
    _, k_max = space.curvature_bounds
    return min(half, float(np.pi / (3 * np.sqrt(k_max)))) if k_max > 0 else half


@dataclass(frozen=True, eq=False)
class Ball:
    """A public centre and radius on a space: what is known before anyone looks at the data.

    Never estimate either from the records: a radius that depends on them gives them away
    (docs/theory/clipping.md). ``PrivateBall`` finds both privately.

    Parameters
    ----------
    space
        Where the records live.
    center
        A public point: an atlas, a published mean, the identity.
    radius
        Records further away than this are moved to the boundary along the geodesic from the centre.
    origin
        Fingerprint of the private release that the ball came from; empty if it was known before.
    form
        Public positive matrix A (d, d) in the orthonormal frame at the centre, for tangent means:
        records are clipped to ``v^T A^-1 v <= radius^2`` and noise follows A. Never taken from the
        same records; see :func:`geomdp.spaces.forms.form_from`.
    source
        Where centre, radius and form come from, in words, for the plan; ``geomdp ball`` asks.
    denoiser
        What is known in public of means in the ball, for :attr:`geomdp.Release.denoised`; it
        changes neither clipping nor noise.
    wide
        Allow radii up to the largest distance, for tangent statistics and as a prior of
        ``PrivateBall`` or ``Refined``; Fréchet means refuse them.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    >>> far = np.exp(5.0) * np.eye(2)
    >>> round(float(ball.space.dist(ball.center, ball.clip(far[None]))[0]), 6)
    1.0
    """

    space: Space
    center: Array
    radius: float
    origin: str = ""
    form: Array | None = None
    source: str = ""
    denoiser: Denoiser | None = None
    wide: InitVar[bool] = False
    _margin: float = field(init=False, repr=False)
    _checked: float = field(init=False, repr=False)

    def __post_init__(self, wide: bool) -> None:
        radius = _as_radius(self.radius)
        _require_radius(self.space, radius, wide or self.space.chart_only)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "center", _as_center(self.space, self.center))
        margin = self.space.log_rounding(self.center, radius)
        checked = radius - margin
        if margin > radius / 8 and self._is_resolved_linearly(radius):
            margin, checked = 0.0, float("inf")
        in_reach = np.array_equal(self.space.resolved(self.center, self.center), self.center)
        if not (margin <= radius / 8 and radius <= linalg.LARGEST and in_reach):
            raise InvalidBallError(
                f"A ball of radius {radius:.6g} on {self.space.spec} is wider than floating-point "
                "numbers resolve; use a smaller radius or a better conditioned centre."
            )
        if self.form is not None:
            object.__setattr__(self, "form", as_form(self.form, self.space.dim))
        if self.denoiser is not None:
            self.denoiser.require_for(self.space, self.center, self.form)
        object.__setattr__(self, "_margin", margin)
        object.__setattr__(self, "_checked", checked)

    @classmethod
    def whole(cls, space: Space) -> Self:
        """Return the ball that holds all of a compact space: a prior for who knows nothing.

        >>> import geomdp as dp
        >>> round(dp.Ball.whole(dp.Sphere(2)).radius, 6)
        3.141593
        """
        if space.farthest == float("inf"):
            raise InvalidBallError(
                f"{space.spec} is unbounded, so that a prior needs a centre and a radius, however "
                "wide: Ball(space, center, radius)."
            )
        center = space.origin(np.zeros(space.dim))
        return cls(space, center, space.farthest, wide=True)

    @property
    def is_wide(self) -> bool:
        """Whether the radius is beyond what the theory of the Fréchet mean covers."""
        return self.space.chart_only or not self.radius < largest_radius(self.space)

    def _is_resolved_linearly(self, radius: float) -> bool:
        """Tell whether the space is flat and the centre finer than the radius.

        Then a mean is taken in coordinates whose norm is clipped again in integers, so that privacy
        does not rest on the margin (docs/theory/lattice-gaussian.md); covariance descriptors need
        such balls.
        """
        flat = self.space.curvature_bounds == (0.0, 0.0)
        return flat and self.space.log_rounding(self.center, 0.0) <= radius / 8

    def clip(self, points: Any) -> Array:
        """Move points outside the ball to its boundary, one record at a time.

        Total: what is no point of the space, or cannot be moved, becomes the centre. Points inside
        are returned bit for bit, in canonical form. The boundary is drawn a rounding error inside
        the radius, so that the ideal distance of a clipped record never exceeds it.

        Raises
        ------
        InvalidRecordError
            Only for the shape of the points.
        """
        x = self.space.doubles(points)
        rows = x.reshape((-1, *self.space.point_shape)) if x.size else x
        return self.admit(rows).records.reshape(x.shape)

    def _bring_in(self, points: Array) -> Array:
        """Clip valid points and check every one that moved (docs/theory/clipping.md)."""
        with np.errstate(all="ignore"):
            out = np.array(self.space.resolved(self.center, points))
            inside = self._distances(out) <= self.radius - self._margin
            left = np.flatnonzero(~inside)
            for share in SHARES:
                if not left.size:
                    break
                moved = self._pulled(out[left], share * (self.radius - 2 * self._margin))
                good = np.all(np.isfinite(moved), axis=tuple(range(1, moved.ndim)))
                good &= self._distances(moved) <= self._checked
                out[left[good]] = moved[good]
                left = left[~good]
            out[left] = self.center
        return out

    @cached_property
    def roots(self) -> tuple[Array, Array] | None:
        """Root of the form and its inverse; None where the ball is round."""
        return None if self.form is None else roots_of(self.form)

    @property
    def reach(self) -> float:
        """Largest distance from the centre that the ball allows."""
        roots = self.roots
        return self.radius if roots is None else self.radius * float(np.linalg.norm(roots[0], 2))

    def whitened(self, logs: Array) -> Array:
        """Coordinates in which the ball is round, of coordinates in the frame at the centre."""
        return logs if self.roots is None else linalg.row_product(logs, self.roots[1])

    def coloured(self, coordinates: Array) -> Array:
        """Inverse of :meth:`whitened`."""
        roots = self.roots
        return coordinates if roots is None else linalg.row_product(coordinates, roots[0])

    def _bring_in_shaped(self, points: Array) -> Array:
        """Clip in the norm of the form; what has no log becomes the centre."""
        with np.errstate(all="ignore"):
            out = np.array(self.space.resolved(self.center, points))
            logs = self._logs(out)
            lengths = linalg.row_norm(self.whitened(logs))[..., 0]
            far = np.flatnonzero(~(lengths <= self.radius))
            shorter = logs[far] * (self.radius / lengths[far])[:, None]
            moved = np.asarray(self.space.canonical(self.space.frame_exp(self.center, shorter)))
            good = np.all(np.isfinite(moved), axis=tuple(range(1, moved.ndim)))
            out[far] = self.center
            out[far[good]] = moved[good]
        return out

    def distances(self, records: Any) -> Array:
        """Distances (n,) of records from the centre before they are clipped, for a curator alone.

        In the norm of the form, where there is one. Infinite where floats cannot tell.

        >>> import geomdp as dp
        >>> Ball(dp.Euclidean(1), [1.0], radius=1.0).distances([[4.0], [float("nan")]]).tolist()
        [3.0, 0.0]
        """
        points, _ = self.space.parse(records, instead=self.center)
        with np.errstate(all="ignore"):
            if self.form is None:
                found = self._distances(points)
            else:
                found = linalg.row_norm(self.whitened(self._logs(points)))[..., 0]
        return np.where(np.isnan(found), np.inf, found)

    def _logs(self, points: Array) -> Array:
        """Coordinates of logs at the centre; NaN where there is none."""
        return decompositions.row_by_row(
            lambda rows: self.space.frame_log(self.center, rows), points, (self.space.dim,)
        )

    def _distances(self, points: Array) -> Array:
        """Distances from the centre; NaN where there is none, which fails every check."""
        return decompositions.row_by_row(lambda rows: self.space.dist(self.center, rows), points)

    def _pulled(self, points: Array, length: float) -> Array:
        """Points at this distance from the centre, in the directions of the given ones."""

        def pull(rows: Array) -> Array:
            velocity = self.space.log(self.center, rows)
            # Its own norm, not the distance: far away the two differ by rounding.
            size = np.asarray(self.space.norm(self.center, velocity))
            factor = np.reshape(length / size, (-1,) + (1,) * len(self.space.point_shape))
            return self.space.exp(self.center, factor * velocity)

        return decompositions.row_by_row(pull, points, self.space.point_shape)

    def admit(self, records: Any) -> Admitted:
        """Let records in: doubles, judged, clipped; what is no point counts as the centre.

        Total: every array of the right shape gives points of the ball, and a point that cannot be
        brought into the ball counts as the centre (docs/theory/clipping.md).

        Raises
        ------
        InvalidRecordError
            Only for the shape of the records, which is public.

        Examples
        --------
        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
        >>> admitted = ball.admit([[0.5, 0.0], [float("nan"), 0.0]])
        >>> admitted.records.tolist(), admitted.invalid
        ([[0.5, 0.0], [0.0, 0.0]], {1: 'it has a missing or infinite entry'})
        """
        whole = None if self._glance is None else plain(records)
        if whole is None or whole.dtype != np.float64 or whole.shape[1:] != self.space.point_shape:
            return self._admit_carefully(records)
        assert self._glance is not None
        left = np.flatnonzero(~self._glance(whole))
        if not left.size:
            return Admitted(whole)
        found = self._admit_carefully(whole[left])
        whole[left] = found.records
        return Admitted(whole, {int(left[row]): why for row, why in found.invalid.items()})

    @cached_property
    def _glance(self) -> Callable[[Array], Array] | None:
        """What tells of records that the careful road returns them as they are; None: nothing does.

        Whose distance is at most the radius less four margins is computed to lie within one.
        """
        if self.form is not None or not 0 < self._margin < self.radius / 8:
            return None
        return self.space.plainly_inside(self.center, self.radius - 4 * self._margin)

    def _admit_carefully(self, records: Any) -> Admitted:
        """Judge and clip every record: what :meth:`admit` gives, to the last bit."""
        points, invalid = self.space.parse(records, instead=self.center)
        bring_in = self._bring_in if self.form is None else self._bring_in_shaped
        return Admitted(bring_in(points), invalid)

    def to_json(self) -> Document:
        """Describe exactly, and name the release that the ball came from."""
        return {
            "space": self.space.spec,
            "radius": self.radius,
            "center": array_to_json(self.center),
            **({"origin": self.origin} if self.origin else {}),
            **({"source": self.source} if self.source else {}),
            **({} if self.form is None else {"form": array_to_json(self.form)}),
            **({} if self.denoiser is None else {"denoiser": self.denoiser.to_json()}),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`; further entries do not matter."""
        space = space_from_spec(document["space"])
        center = array_from_json(document["center"])
        form = array_from_json(document["form"]) if "form" in document else None
        origin, source = document.get("origin", ""), document.get("source", "")
        known = Denoiser.from_json(document["denoiser"]) if "denoiser" in document else None
        return cls(space, center, document["radius"], origin, form, source, known, wide=True)

    def boundary_point(self) -> Array:
        """Return a fixed point on the boundary: where restricted laws are hardest to sample."""
        axis = np.full(self.space.dim, self.radius / np.sqrt(self.space.dim))
        return self.clip(self.space.frame_exp(self.center, axis)[None])[0]


def _in_degrees(radius: float, limit: float) -> str:
    """Say what a radius would be if it was meant in degrees, where it could be an angle."""
    angle = math.radians(radius)
    return f" ({radius:g} degrees are {angle:.6g})" if radius >= 1 and angle < limit < 4 else ""


def _as_radius(radius: Any) -> float:
    try:
        return float(radius)
    except OverflowError as error:
        raise InvalidBallError(
            "The radius is beyond what doubles hold; give a smaller one."
        ) from error
    except (TypeError, ValueError) as error:
        raise InvalidBallError(f"The radius must be a number, not {radius!r}.") from error


def _require_radius(space: Space, radius: float, wide: bool) -> None:
    """Refuse radii beyond the theory of the mean, or, if ``wide``, beyond the space."""
    limit = space.farthest if space.chart_only else largest_radius(space)
    most, infinite = space.farthest, float("inf")
    if 0 < radius < limit or (wide and 0 < radius <= most < infinite):
        return
    limit, reach = (most, "be at most") if wide else (limit, "stay below")
    reach = "be finite" if limit == infinite else f"{reach} {limit:.12g}"
    raise InvalidBallError(
        f"The radius on {space.spec} must be positive and {reach}, not {radius}; "
        f"beyond that the mean is not covered by the theory{_in_degrees(radius, limit)}."
    )


def _as_center(space: Space, center: Any) -> Array:
    try:
        point = _settled(space, np.array(space.require_center(in_doubles(center))))
    except InvalidRecordError as error:
        raise InvalidBallError(str(error)) from error
    if point.ndim != len(space.point_shape):
        raise InvalidBallError(
            f"The centre must be one point of shape {space.point_shape}, not {point.shape}."
        )
    point.flags.writeable = False
    return point


def _settled(space: Space, point: Array) -> Array:
    """Return a canonical form that is its own: what is written down and read again is the same."""
    for _ in range(SETTLING):
        again = np.array(space.canonical(point))
        if np.array_equal(again, point):
            break
        point = again
    return point


def project_into(ball: Ball, value: Array) -> Array:
    """Return a point of the ball for every array of the right shape: moved in, else the centre.

    Total, since a draw that is refused and made again would follow another law than the one that
    was accounted for: nothing here may raise, whatever the noise did to the value
    (docs/theory/laplace.md, "Afterwards").
    """
    center = np.array(ball.center)
    with np.errstate(all="ignore"):
        try:
            moved = np.asarray(ball.clip(np.asarray(value)[None]))[0]
            # Written so that NaN fails.
            inside = bool(ball.space.dist(ball.center, moved) <= ball.radius)
        except Exception:
            return center
    return moved if inside and bool(np.all(np.isfinite(moved))) else center


def proved_distances(space: Space, p: Array, x: Array) -> Array:
    """Distances in intervals from one point, also of that point itself."""
    ideal = space.proved_dist(p, x)
    # The root of an interval around 0 is undefined: such a point is the centre to all its bits.
    undefined = np.array([bool(distance.is_nan()) for distance in ideal], dtype=bool)
    if np.any(undefined):
        at, others = intervals.to_floats(p), intervals.to_floats(x[undefined])
        if not np.all(space.dist(at, others) < 1e-15):
            raise AssertionError(f"{space.spec} has no distance in interval arithmetic")
        ideal[undefined] = intervals.from_floats(np.zeros(int(undefined.sum())))
    return ideal


def distances_from(ball: Ball, x: Array) -> Array:
    """Distances in intervals of float points from the centre of a ball."""
    space = ball.space
    center, points = (space.canonical(intervals.from_floats(at)) for at in (ball.center, x))
    return proved_distances(space, center, points)


def overshoot(ball: Ball, points: Array) -> Array:
    """Proved distances from the centre, less the radius: at most 0 inside the ball."""
    if ball.space.chart_only:  # no intervals: privacy rests on clipping in integers alone
        return np.asarray(ball.space.dist(ball.center, points)) - ball.radius
    with intervals.precision(BITS):
        return np.array([float((d - ball.radius).upper()) for d in distances_from(ball, points)])
