"""Uniform directions from uniform numbers, exact in real arithmetic."""

from geomdp.spaces.numerics import elementary, linalg
from geomdp.typing import Array


def uniforms_for_normals(count: int) -> int:
    """Return how many uniforms :func:`normals` needs for ``count`` normal numbers."""
    return count + count % 2


def normals(u: Array, count: int) -> Array:
    """Independent standard normal numbers by the Box-Muller map, over the last axis."""
    xp = linalg.namespace(u)
    half = u.shape[-1] // 2
    radius = xp.sqrt(-2.0 * xp.log(u[..., :half]))
    angle = 2.0 * elementary.pi(u) * u[..., half:]
    pairs = xp.concat([radius * xp.cos(angle), radius * xp.sin(angle)], axis=-1)
    return pairs[..., :count]


def unit_vectors(u: Array, dim: int) -> Array:
    """Return uniform points of the unit sphere in R^dim."""
    z = normals(u, dim)
    return z / linalg.namespace(z).sqrt(linalg.dot(z, z))
