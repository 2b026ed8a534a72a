"""Products of spaces: records that have several parts, each on a space of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces.ball import proved_distances
from geomdp.spaces.base import Space
from geomdp.spaces.embedding import Stacked
from geomdp.spaces.numerics import elementary, linalg
from geomdp.spaces.specs import SPACES, space_from_spec
from geomdp.typing import Array

#: Between the factors of a short name, and before a weight.
AND, TIMES = "+", "*"


def _on_parts(name: str) -> Any:
    """Return the method of a product that applies that of each factor to its part."""

    def method(self: "Product", *arrays: Array) -> Array:
        return self._joined(self._each(name, *arrays))

    return method


@dataclass(frozen=True, init=False)
class Product(Space):
    """Points of several spaces together, at distance ``sqrt(sum of w_i d_i^2)``.

    A record is one row of real numbers: those of the first part, flattened, then those of the
    second, and so on; :meth:`join` and :meth:`split` go between rows and parts. Weights say what a
    unit of one distance is worth in another: choose them by public knowledge, for example the
    inverse squared radii that you would give the parts alone (docs/theory/charts.md, section 3).

    Parameters
    ----------
    factors
        Two or more spaces, none of them a product.
    weights
        Positive, one a factor; 1 by default.

    Examples
    --------
    >>> import geomdp as dp
    >>> space = Product(dp.Sphere(2), dp.Euclidean(1), weights=(1.0, 0.25))
    >>> p = space.join([0.0, 0.0, 1.0], [0.0])
    >>> q = space.join([1.0, 0.0, 0.0], [3.0])
    >>> round(float(space.dist(p, q)), 4), round(float(np.hypot(np.pi / 2, 1.5)), 4)
    (2.172, 2.172)
    >>> space.spec
    'product:sphere:2*1.0+euclidean:1*0.25'
    """

    factors: tuple[Space, ...]
    weights: tuple[float, ...]

    def __init__(self, *factors: Space, weights: Sequence[float] | None = None) -> None:
        weights = (1.0,) * len(factors) if weights is None else tuple(map(float, weights))
        if len(factors) < 2 or len(weights) != len(factors):
            raise GeomdpError("A product needs two spaces or more, and one weight for each.")
        if any(factor.factors for factor in factors):
            raise GeomdpError("A product of products is a product; give all factors at once.")
        if not all(1e-100 <= weight <= 1e100 for weight in weights):
            raise GeomdpError(f"Weights must be positive and finite, not {weights}.")
        object.__setattr__(self, "factors", tuple(factors))
        object.__setattr__(self, "weights", weights)

    @property
    def chart_only(self) -> bool:  # type: ignore[override]
        """Whether one of the factors is a chart and nothing else."""
        return any(factor.chart_only for factor in self.factors)

    # --- public facts -------------------------------------------------------------------------

    @property
    def dim(self) -> int:  # type: ignore[override]  # noqa: D102
        return sum(factor.dim for factor in self.factors)

    @property
    def spec(self) -> str:  # noqa: D102
        parts = zip(self.factors, self.weights, strict=True)
        return "product:" + AND.join(f"{factor.spec}{TIMES}{weight!r}" for factor, weight in parts)

    @property
    def title(self) -> str:  # noqa: D102
        return " and ".join(factor.title for factor in self.factors)

    @property
    def point_shape(self) -> tuple[int, ...]:  # noqa: D102
        return (sum(self._sizes),)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(factor.record_shape.size for factor in self.factors)

    @property
    def curvature_bounds(self) -> tuple[float, float]:
        """Those of the factors over their weights, and 0 for planes across factors."""
        bounds = [factor.curvature_bounds for factor in self.factors]
        lows, highs = (
            [bound[i] / weight for bound, weight in zip(bounds, self.weights, strict=True)]
            for i in (0, 1)
        )
        return (min(0.0, *lows), max(0.0, *highs))

    @property
    def injectivity_radius(self) -> float:  # noqa: D102
        return min(root * f.injectivity_radius for f, root in self._with_roots())

    @property
    def farthest(self) -> float:  # noqa: D102
        return float(np.sqrt(sum((root * f.farthest) ** 2 for f, root in self._with_roots())))

    @property
    def laplace_rate_limit(self) -> float:
        """Growth of the envelope: the limits of the factors, added up."""
        return sum(f.laplace_rate_limit / root for f, root in self._with_roots())

    def _with_roots(self) -> Iterator[tuple[Space, float]]:
        roots = np.sqrt(np.asarray(self.weights)).tolist()
        yield from zip(self.factors, roots, strict=True)

    @property
    def embedding(self) -> Stacked | None:
        """Those of the factors side by side, each in the units of the distance."""
        parts = [factor.embedding for factor in self.factors]
        known = tuple(part for part in parts if part is not None)
        if len(known) < len(parts):
            return None
        pairs = zip(self._with_roots(), known, strict=True)
        units = [root / part.stretch for (_, root), part in pairs]
        weights = tuple(unit / max(units) for unit in units)
        return Stacked(known, weights, 1 / max(units), self.split, self._joined)

    # --- rows and parts -----------------------------------------------------------------------

    def join(self, *parts: Any) -> Array:
        """Rows (..., numbers) of points of the factors, in their order.

        Raises
        ------
        InvalidRecordError
            If the parts are not as many as the factors, or do not fit together.

        Examples
        --------
        >>> import geomdp as dp
        >>> space = Product(dp.SPD(2), dp.Euclidean(1))
        >>> space.join(np.ones((5, 2, 2)), np.zeros((5, 1))).shape
        (5, 5)
        """
        if len(parts) != len(self.factors):
            raise InvalidRecordError(f"{self.spec} has {len(self.factors)} parts: give each.")
        arrays = [f.doubles(part) for f, part in zip(self.factors, parts, strict=True)]
        try:
            return self._joined(arrays)
        except ValueError as error:
            raise InvalidRecordError("The parts of a product need equally many records.") from error

    def split(self, x: Array) -> list[Array]:
        """Points of the factors: the inverse of :meth:`join`.

        Examples
        --------
        >>> import geomdp as dp
        >>> [part.shape for part in Product(dp.SPD(2), dp.Euclidean(1)).split(np.ones((7, 5)))]
        [(7, 2, 2), (7, 1)]
        """
        xp = linalg.namespace(x)
        ends = np.cumsum(self._sizes).tolist()
        parts = []
        for factor, size, end in zip(self.factors, self._sizes, ends, strict=True):
            shape = factor.record_shape
            part = xp.reshape(x[..., end - size : end], (*x.shape[:-1], *shape.shape))
            if shape.complex:
                part = elementary.to_complex(part[..., 0], part[..., 1])
            parts.append(part)
        return parts

    def _joined(self, parts: Sequence[Array]) -> Array:
        xp = linalg.namespace(*parts)
        rows = []
        for factor, part in zip(self.factors, parts, strict=True):
            batch = part.shape[: part.ndim - len(factor.point_shape)]
            real = (
                xp.stack(elementary.parts(part), axis=-1) if factor.record_shape.complex else part
            )
            rows.append(xp.reshape(real, (*batch, factor.record_shape.size)))
        shape = np.broadcast_shapes(*(row.shape[:-1] for row in rows))
        return xp.concat([xp.broadcast_to(row, (*shape, row.shape[-1])) for row in rows], axis=-1)

    def _each(self, name: str, *arrays: Array) -> list[Array]:
        """Results of a method of the factors on the parts of points or vectors."""
        split = [self.split(array) for array in arrays]
        return [
            getattr(factor, name)(*(parts[i] for parts in split))
            for i, factor in enumerate(self.factors)
        ]

    # --- points -------------------------------------------------------------------------------

    def violations(self, x: Array) -> Iterator[tuple[Array, str]]:  # noqa: D102
        for i, (factor, part) in enumerate(zip(self.factors, self.split(x), strict=True)):
            for mask, reason in factor.violations(part):
                yield mask, f"part {i + 1} ({factor.spec}): {reason}"

    canonical, resolved = map(_on_parts, ("canonical", "resolved"))

    def resolves(self, center: Array, reach: float, length: float) -> bool:  # noqa: D102
        parts = zip(self._with_roots(), self.split(center), strict=True)
        return all(f.resolves(c, reach / root, length / root) for (f, root), c in parts)

    def require_center(self, x: Any) -> Array:  # noqa: D102
        center = super().require_center(x)
        parts = zip(self.factors, self.split(center), strict=True)
        return self._joined([factor.require_center(part) for factor, part in parts])

    # --- geometry -----------------------------------------------------------------------------

    exp, log, transport = map(_on_parts, ("exp", "log", "transport"))

    def dist(self, p: Array, q: Array) -> Array:  # noqa: D102
        squares = [d * d for d in self._each("dist", p, q)]
        return linalg.namespace(*squares).sqrt(self._weighted(squares))

    def proved_dist(self, p: Array, x: Array) -> Array:  # noqa: D102
        parts = zip(self.factors, self.weights, self.split(p), self.split(x), strict=True)
        return np.sqrt(sum(w * proved_distances(f, c, part) ** 2 for f, w, c, part in parts))

    def inner(self, p: Array, u: Array, v: Array) -> Array:  # noqa: D102
        return self._weighted(self._each("inner", p, u, v))

    def _weighted(self, parts: Sequence[Array]) -> Array:
        first, *others = (w * part for w, part in zip(self.weights, parts, strict=True))
        return sum(others, first)

    def log_and_hessian(  # noqa: D102
        self, p: Array, q: Array
    ) -> tuple[Array, Callable[[Array], Array]]:
        logs, hessians = zip(*self._each("log_and_hessian", p, q), strict=True)

        def hessian(v: Array) -> Array:
            parts = zip(hessians, self.split(v), strict=True)
            return self._joined([one(part) for one, part in parts])

        return self._joined(logs), hessian

    def log_rounding(self, center: Array, radius: float) -> float:  # noqa: D102
        parts = zip(self._with_roots(), self.split(np.asarray(center)), strict=True)
        return float(sum(root * f.log_rounding(c, radius / root) for (f, root), c in parts))

    def chart_radius(self, center: Array) -> float:  # noqa: D102
        parts = zip(self._with_roots(), self.split(np.asarray(center)), strict=True)
        return min(root * f.chart_radius(c) for (f, root), c in parts)

    # --- sampling -----------------------------------------------------------------------------

    def origin(self, like: Array) -> Array:  # noqa: D102
        return self._joined([factor.origin(like) for factor in self.factors])

    def _frames(self, coordinates: Array) -> Iterator[tuple[Space, Array]]:
        """Coordinates of each factor in its own frame: divided by the root of its weight."""
        start = 0
        for factor, weight in zip(self.factors, self.weights, strict=True):
            part = coordinates[..., start : start + factor.dim]
            yield factor, part / _root(weight, coordinates)
            start += factor.dim

    def _weigh(self, parts: Sequence[Array]) -> Array:
        xp = linalg.namespace(*parts)
        weighted = zip(self.weights, parts, strict=True)
        return xp.concat([_root(weight, part) * part for weight, part in weighted], axis=-1)

    def from_frame(self, coordinates: Array) -> Array:  # noqa: D102
        return self._joined([f.from_frame(part) for f, part in self._frames(coordinates)])

    def to_frame(self, v: Array) -> Array:  # noqa: D102
        return self._weigh(self._each("to_frame", v))

    move, move_back = map(_on_parts, ("move", "move_back"))

    def frame_log(self, p: Array, x: Array) -> Array:
        """Coordinates of the factors, each times the root of its weight."""
        return self._weigh(self._each("frame_log", p, x))

    def frame_exp(self, p: Array, coordinates: Array) -> Array:  # noqa: D102
        parts = zip(self._frames(coordinates), self.split(p), strict=True)
        return self._joined([f.frame_exp(c, v) for (f, v), c in parts])

    def log_volume_density(self, t: Array, direction: Array) -> Array:
        """Densities of the factors over those of flat space, each at its share of the way."""
        total = (self.dim - 1) * elementary.log_or_minus_infinity(t)
        for factor, part in self._frames(direction):
            total = total + _beyond_flat(factor, t, part)
        return total

    def log_volume_envelope(self, t: Array) -> Array:
        """Bound by Bishop's inequality (docs/theory/charts.md, section 3)."""
        xp = linalg.namespace(t)
        power, total = self.dim - 1, 0.0 * t
        for factor, weight in zip(self.factors, self.weights, strict=True):
            low, high = factor.curvature_bounds
            if low < 0 < high:
                raise GeomdpError(f"{self.spec} has no envelope: {factor.spec} has both signs.")
            if low >= 0:
                continue  # no more volume than flat space has
            root, flat = _root(weight, t), factor.dim - 1
            total = total + factor.log_volume_envelope(t / root) + flat * xp.log(root)
            power -= flat  # at least one factor less one is left, so that 0 has no volume
        total = total + power * elementary.log_or_minus_infinity(t)
        end = linalg.less(t, self.farthest * (1 + 1e-15))
        return xp.where(end, total, -xp.inf)

    # --- public chart -------------------------------------------------------------------------

    def coordinates(self, x: Array) -> Array:
        """Coordinates of the factors, one after the other."""
        return linalg.namespace(x).concat(self._each("coordinates", x), axis=-1)

    def point(self, coordinates: Array) -> Array:  # noqa: D102
        sizes = [f.coordinates(f.origin(np.zeros(1))).shape[-1] for f in self.factors]
        ends = np.cumsum(sizes).tolist()
        parts = zip(self.factors, sizes, ends, strict=True)
        return self._joined([f.point(coordinates[..., end - n : end]) for f, n, end in parts])


def _beyond_flat(factor: Space, t: Array, way: Array) -> Array:
    """Log density of a factor at ``t way``, less that of flat space."""
    xp = linalg.namespace(t, way)
    length = xp.sqrt(linalg.dot(way, way))
    if not linalg.exact(t):  # a direction that leaves the factor where it is
        still = length == 0
        length = xp.where(still, 1.0, length)
        way = xp.where(still, linalg.eye(factor.dim, way)[0, :], way)
    own = t * length[..., 0]
    flat = (factor.dim - 1) * elementary.log_or_minus_infinity(own) if factor.dim > 1 else 0.0 * own
    excess = factor.log_volume_density(own, way / length) - flat
    return excess if linalg.exact(t) else xp.where(still[..., 0], 0.0, excess)


def _root(weight: float, like: Array) -> Array:
    """Square root of a weight, exact among intervals."""
    return linalg.namespace(like).sqrt(linalg.constant(weight, like))


def _from_arguments(*arguments: Any) -> Product:
    """Build from the rest of a short name: ``sphere:2*1.0+euclidean:1*0.25``."""
    text = ":".join(str(argument) for argument in arguments)
    factors, weights = [], []
    for part in text.split(AND):
        spec, _, weight = part.partition(TIMES)
        factors.append(space_from_spec(spec))
        try:
            weights.append(float(weight or 1))
        except ValueError:
            raise GeomdpError(f"{weight!r} in {text!r} is not a weight.") from None
    return Product(*factors, weights=weights)


SPACES.register("product", _from_arguments, example="product:rotations+euclidean:3*0.25")
