"""Procedural outlines for examples and demonstrations: lobed leaves.

The seed makes data, never noise: these records stand for a study's specimens.
"""

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError

#: Vertices of a drawn outline, many more than landmarks.
VERTICES = 400
#: Width, depth of the lobes, their position, bend of the midrib, share of the right half.
_TYPICAL = np.array([0.62, 0.22, 0.0, 0.0, 0.5])
_SPREAD = np.array([0.05, 0.04, 0.05, 0.06, 0.02])
#: The population differs from the textbook leaf: narrower, with deeper lobes, bent to one side.
_SHIFT = np.array([-0.06, 0.05, 0.0, 0.08, 0.0])


def template_leaf() -> NDArray[np.float64]:
    """Return the outline (VERTICES, 2) of a textbook leaf, a public template.

    Examples
    --------
    >>> template_leaf().shape
    (400, 2)
    """
    return _outline(_TYPICAL[None])[0]


def leaf_outlines(n: int, seed: int) -> NDArray[np.float64]:
    """Return outlines (n, VERTICES, 2) of leaves, counter-clockwise from the stalk.

    Examples
    --------
    >>> leaf_outlines(3, seed=1).shape
    (3, 400, 2)
    """
    if n < 1:
        raise GeomdpError(f"A sample needs n >= 1 records; got n={n}.")
    rng = np.random.default_rng(seed)
    deviations = np.clip(rng.standard_normal((n, _TYPICAL.size)), -3, 3)
    return _outline(_TYPICAL + _SHIFT + _SPREAD * deviations)


def _outline(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Walk up the right side of the midrib and down the left."""
    width, depth, place, bend, share = parameters.T[:, :, None]
    up = (np.arange(VERTICES // 2) + 0.5) / (VERTICES // 2)
    lobes = 1 + depth * np.cos(2 * np.pi * (4 * up + place))
    half = width * np.sin(np.pi * up**0.85) ** 0.8 * lobes
    rib = bend * np.sin(np.pi * up / 2) ** 2
    height = np.broadcast_to(2 * up, half.shape)
    right = np.stack([rib + 2 * share * half, height], axis=-1)
    left = np.stack([rib - 2 * (1 - share) * half, height], axis=-1)
    return np.concatenate([right, left[:, ::-1]], axis=1)
