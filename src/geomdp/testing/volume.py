"""Properties of the volume densities that noise is drawn by."""

import numpy as np

from geomdp.spaces.base import Space
from geomdp.testing.judging import require_at_most, require_close
from geomdp.testing.samples import Samples, unit_vectors
from geomdp.typing import Array


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
