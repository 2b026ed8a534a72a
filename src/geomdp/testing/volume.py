"""Properties of the volume densities that noise is drawn by."""

import numpy as np

from geomdp.spaces.base import Space
from geomdp.testing.judging import require_at_most, require_close
from geomdp.testing.samples import Samples, unit_vectors
from geomdp.typing import Array

#: Geodesics are followed to twice this distance, or the largest.
FAR = 3.0
#: A way shorter by less than this part is not told from the shortest.
CLEARLY = 1e-6


def volume_density_is_the_determinant_of_the_exponential(given: Samples) -> None:
    """``log_volume_density`` agrees with the volume that ``exp`` really makes."""
    space, rng = given.space, np.random.default_rng(5)
    for share in (0.1, 0.5, 0.9):
        direction = unit_vectors(rng, space.dim)
        t = share * min(space.injectivity_radius, 2.5)
        density = space.log_volume_density(np.asarray(t), direction)
        expected = _volume_by_differences(space, t, direction)
        require_close(f"log volume density at {t:.3g}", density, expected, atol=2e-6)


def envelope_is_above_the_density_and_concave(given: Samples) -> None:
    """``log_volume_envelope`` is a concave upper bound in every direction."""
    space, xp = given.space, given.xp
    t = np.linspace(1e-3, min(space.farthest, 12.0) * (1 - 1e-9), 400)
    envelope = np.asarray(space.log_volume_envelope(xp.asarray(t)))
    direction = unit_vectors(np.random.default_rng(6), t.size, space.dim)
    density = np.asarray(space.log_volume_density(xp.asarray(t), xp.asarray(direction)))
    some = density > -np.inf  # nothing exceeds no bound
    excess = (density[some] - envelope[some]) / (1 + abs(density[some]))
    require_at_most("log density above its envelope, relatively", excess, 1e-9)
    second = envelope[2:] - 2 * envelope[1:-1] + envelope[:-2]
    require_at_most("second difference of the envelope", second, 1e-9)


def no_volume_beyond_the_cut_locus(given: Samples) -> None:
    """Both densities are 0 beyond the largest distance, however far."""
    space = given.space
    if not np.isfinite(space.farthest):
        return
    direction = np.eye(space.dim)[0]
    for turns in (1.0001, 1.5, 2.5, 3.5, 4.5, 6.5):
        t = np.asarray(turns * space.farthest)
        for density in (space.log_volume_density(t, direction), space.log_volume_envelope(t)):
            require_at_most(f"log volume at {turns} largest distances", density, -np.inf)


def volume_lies_where_geodesics_are_shortest(given: Samples) -> None:
    """Density ends, in every direction, where the geodesic stops being the shortest way.

    Before and behind the injectivity radius: it is the least over directions, and a space whose
    cut locus hangs on them, such as a torus, has volume beyond it in some and none in others.
    """
    space, origin = given.space, given.origin
    u, t = _ways(space)
    x = space.canonical(space.exp(origin, space.from_frame(t[:, None] * u)))
    d = np.asarray(space.dist(origin, x))
    within, beyond = d > t - 1e-9 * (1 + t), d < t - CLEARLY * (1 + t)
    early = beyond & (t < space.injectivity_radius)
    require_at_most("a shorter way within the injectivity radius", early, 0)
    density = np.asarray(space.log_volume_density(t, u))
    wrong = np.where(beyond, density, -np.inf)
    require_at_most("log volume where another way is shorter", wrong, -np.inf)
    require_at_most("a shortest way without volume", within & np.isneginf(density), 0)
    require_at_most("distance beyond the largest", d - space.farthest, 1e-9)
    log = space.log(origin, x)
    back = space.dist(space.canonical(space.exp(origin, log)), x)
    require_at_most("dist(exp(p, log(p, q)), q) for q far away", back, CLEARLY)
    require_close("the norm of log(p, q) for q far away", space.norm(origin, log), d, rtol=CLEARLY)


def distances_are_the_same_everywhere_however_far(given: Samples) -> None:
    """Far points keep their distance when both are moved: also across a seam of the coordinates.

    Points near the origin do not tell a torus from its square, and points around it alone neither.
    """
    space, origin = given.space, given.origin
    u, t = _ways(space)
    x = space.canonical(space.exp(origin, space.from_frame(t[:, None] * u)))
    p = x[::-1]
    moved = space.dist(p, space.canonical(space.move(p, x)))
    require_close("a distance after move", moved, space.dist(origin, x), rtol=CLEARLY, atol=CLEARLY)


def _ways(space: Space) -> tuple[Array, Array]:
    """Return unit vectors (m, dim), at random, along axes and between, and lengths (m,)."""
    rng = np.random.default_rng(7)
    axes = np.repeat(np.eye(space.dim)[:3], 40, axis=0)
    between = rng.choice([-1.0, 1.0], (120, space.dim)) / np.sqrt(space.dim)
    u = np.concatenate([unit_vectors(rng, 240, space.dim), axes, between])
    top = min(space.farthest, FAR)
    return u, 2 * top * (0.01 + 0.99 * rng.uniform(size=len(u)))


def laplace_rate_limit_is_the_growth_of_the_envelope(given: Samples) -> None:
    """Laplace laws exist just where their tails outweigh the growth of the volume."""
    space = given.space
    limit = space.laplace_rate_limit
    if np.isfinite(space.farthest):
        require_close("laplace_rate_limit", limit, 0.0)
        return
    low, high = space.log_volume_envelope(np.array([4e3, 8e3]))
    require_close("laplace_rate_limit", limit, (high - low) / 4e3, atol=3e-3)


def _volume_by_differences(space: Space, t: float, direction: Array, h: float = 1e-5) -> float:
    """Density at ``t direction``: root of the Gram determinant of d exp, times ``t^(d-1)``."""
    origin = space.origin(np.zeros(1))
    x = space.exp(origin, space.from_frame(t * direction))
    basis = np.eye(space.dim)
    ahead = space.log(x, space.exp(origin, space.from_frame(t * direction + h * basis)))
    behind = space.log(x, space.exp(origin, space.from_frame(t * direction - h * basis)))
    columns = (ahead - behind) / (2 * h)
    gram = [[float(space.inner(x, u, v)) for v in columns] for u in columns]
    return float(np.log(np.linalg.det(gram)) / 2 + (space.dim - 1) * np.log(t))
