"""Built-in surfaces: face-like half ellipsoids and terrain, made of Gaussian features.

All surfaces of a kind share one triangulation and are in vertex correspondence: a seed changes the
proportions of the base, the height of each feature and a smooth displacement of the vertices, so
that the truth is known when registration is tested. They resemble nobody.
"""

from functools import lru_cache

import numpy as np

from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Floats, Indices

_INTERIOR, _RIM = 6900, 200

# x, y, width along x, width along y, height; x != 0 stands for a pair on both sides.
_FACE = np.array(
    [
        [0.00, 0.00, 0.075, 0.070, 0.130],  # tip of the nose
        [0.00, 0.16, 0.062, 0.170, 0.130],  # bridge
        [0.00, 0.02, 0.150, 0.090, 0.060],  # base of the nose
        [0.125, -0.025, 0.045, 0.050, 0.075],  # wings of the nose
        [0.055, -0.085, 0.032, 0.024, -0.040],  # nostrils
        [0.28, 0.25, 0.130, 0.085, -0.110],  # eye sockets
        [0.28, 0.245, 0.080, 0.045, 0.090],  # eyes
        [0.28, 0.315, 0.100, 0.014, -0.022],  # upper lids
        [0.28, 0.180, 0.090, 0.014, -0.014],  # lower lids
        [0.28, 0.410, 0.150, 0.045, 0.050],  # brows
        [0.00, 0.66, 0.380, 0.200, 0.040],  # forehead
        [0.44, 0.04, 0.160, 0.120, 0.050],  # cheekbones
        [0.36, -0.28, 0.120, 0.180, -0.030],  # hollow cheeks
        [0.00, -0.165, 0.024, 0.040, -0.014],  # philtrum
        [0.055, -0.250, 0.085, 0.028, 0.055],  # upper lip
        [0.00, -0.300, 0.175, 0.013, -0.060],  # mouth
        [0.00, -0.355, 0.125, 0.038, 0.070],  # lower lip
        [0.00, -0.455, 0.130, 0.035, -0.030],  # fold above the chin
        [0.00, -0.590, 0.150, 0.100, 0.100],  # chin
    ]
)

_TERRAIN = np.array(
    [
        [0.00, 0.00, 0.22, 0.17, 0.55],
        [0.45, 0.30, 0.20, 0.14, 0.28],
        [-0.38, 0.42, 0.15, 0.22, 0.33],
        [-0.50, -0.20, 0.24, 0.12, 0.22],
        [0.20, -0.52, 0.14, 0.18, 0.30],
        [0.55, -0.22, 0.12, 0.20, -0.15],
        [-0.12, -0.45, 0.20, 0.12, -0.12],
        [0.05, 0.60, 0.24, 0.10, 0.16],
        [-0.72, 0.12, 0.10, 0.20, 0.18],
        [0.74, 0.08, 0.10, 0.24, 0.12],
        [0.20, 0.33, 0.12, 0.10, -0.14],
        [-0.42, -0.62, 0.16, 0.12, 0.20],
    ]
)


def template_face() -> Surface:
    """Return the face without variation, a public template for :func:`procedural_face`.

    Examples
    --------
    >>> template_face().vertices.shape
    (7100, 3)
    """
    return _face(None, "template face")


def procedural_face(seed: int) -> Surface:
    """Make a face-like surface, in vertex correspondence with :func:`template_face`.

    Parameters
    ----------
    seed : int
        Any non-negative number; the same seed gives the same face.

    Examples
    --------
    >>> first, second = procedural_face(1), procedural_face(2)
    >>> bool((first.faces == second.faces).all()), bool((first.vertices == second.vertices).all())
    (True, False)
    """
    return _face(np.random.default_rng([seed, 0]), f"procedural face {seed}")


def template_terrain() -> Surface:
    """Return the terrain without variation, a public template for :func:`procedural_terrain`.

    Examples
    --------
    >>> template_terrain().vertices.shape
    (7100, 3)
    """
    return _terrain(None, "template terrain")


def procedural_terrain(seed: int) -> Surface:
    """Make a hilly height field over the disk, its highest hill near the centre.

    Examples
    --------
    >>> procedural_terrain(3).name
    'procedural terrain 3'
    """
    return _terrain(np.random.default_rng([seed, 1]), f"procedural terrain {seed}")


def _face(rng: np.random.Generator | None, name: str) -> Surface:
    x, y, faces = _disk()
    left = _FACE[_FACE[:, 0] != 0] * [-1, 1, 1, 1, 1]
    features = np.concatenate([_FACE, left]) * [1.18, 1.18, 1.18, 1.18, 1]
    width, length, depth = 0.74, 1.0, 0.62
    if rng is not None:
        width, length, depth = np.array([width, length, depth]) * rng.normal(1, 0.04, 3)
        height = rng.normal(1, 0.22, len(_FACE))  # a pair varies together, with little asymmetry
        features[:, 4] *= np.concatenate([height, height[_FACE[:, 0] != 0]])
        features[:, 4] *= rng.normal(1, 0.03, len(features))
    dome = depth * np.sqrt(1 - 0.93 * (x**2 + y**2))
    # The lower half narrows towards the chin.
    side = width * x * (1 - 0.12 * np.clip(-y, 0, None) ** 1.5)
    shape = np.column_stack([side, length * y, dome + _relief(x, y, features)])
    # Variation is mostly even in x, as in faces: sum a displacement with its mirror image.
    one, other = _drift(x, y, rng, 0.018), _drift(-x, y, rng, 0.012)
    return Surface(shape + one + other * [-1, 1, 1], faces, name)


def _terrain(rng: np.random.Generator | None, name: str) -> Surface:
    x, y, faces = _disk()
    features = _TERRAIN.copy()
    if rng is not None:
        features[:, 4] *= rng.normal(1, 0.15, len(features))
    shape = np.column_stack([x, y, _relief(x, y, features)])
    return Surface(shape + _drift(x, y, rng, 0.040) * [1, 1, 0.3], faces, name)


def _relief(x: Floats, y: Floats, features: Floats) -> Floats:
    """Sum the Gaussian features; each is a product, so that one matrix product does it."""
    cx, cy, sx, sy, height = features.T
    along_x = np.exp(-0.5 * ((x[:, None] - cx) / sx) ** 2)
    along_y = np.exp(-0.5 * ((y[:, None] - cy) / sy) ** 2)
    relief: Floats = (along_x * along_y) @ height
    return relief


def _drift(x: Floats, y: Floats, rng: np.random.Generator | None, size: float) -> Floats:
    """Displace the vertices smoothly, by Gaussian bumps of width 0.45, about ``size`` in length."""
    if rng is None:
        return np.zeros((len(x), 3))
    angle = np.arange(9) * 2.399963
    centres = 0.9 * np.sqrt(np.arange(9) / 9) * np.array([np.cos(angle), np.sin(angle)])
    bumps = np.exp(-((x[:, None] - centres[0]) ** 2 + (y[:, None] - centres[1]) ** 2) / 0.405)
    drift: Floats = bumps @ rng.normal(0, size, (9, 3))
    return drift


@lru_cache(maxsize=1)
def _disk() -> tuple[Floats, Floats, Indices]:
    """Triangulate a spiral (Vogel 1979, doi:10.1016/0025-5564(79)90080-4) with a closed rim."""
    from scipy.spatial import Delaunay

    k = np.arange(_INTERIOR)
    radius = 0.988 * np.sqrt(k / _INTERIOR)
    spiral = radius * np.exp(1j * k * np.pi * (3 - np.sqrt(5)))
    rim = np.exp(2j * np.pi * np.arange(_RIM) / _RIM)
    z = np.concatenate([spiral, rim])
    faces = Delaunay(np.column_stack([z.real, z.imag])).simplices.astype(np.int64)
    a, b, c = z[faces].T
    clockwise = (np.conj(b - a) * (c - a)).imag < 0
    faces[clockwise] = faces[clockwise][:, [0, 2, 1]]
    return z.real, z.imag, faces
