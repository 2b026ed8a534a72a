"""A bare point cloud made a surface by a Delaunay triangulation of its projection."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.surface import Surface, half_edges
from geomdp.typing import Floats, Indices

#: More folded edges than this fraction of all are an error, fewer are a warning.
LARGEST_FOLDED_FRACTION = 0.01

#: Triangles at the rim flatter than this (height over the rim edge, by its length) are left out.
FLAT_RIM = 0.02


def surface_from_points(
    points: ArrayLike, direction: ArrayLike | None = None, name: str = ""
) -> Surface:
    """Triangulate points seen along ``direction``.

    Good for gentle surfaces, such as terrain. Where the surface overhangs (nostrils, lips) layers
    are mixed up and neighbouring triangles fold back on each other: a few such folds give a
    warning, many an error.

    Parameters
    ----------
    points : array of shape (v, 3)
        The cloud.
    direction : three numbers, optional
        Towards the viewer, who sees triangles anticlockwise. The direction of least variance by
        default, with its largest component positive.
    name : str
        What error messages call the surface.

    Examples
    --------
    >>> corners = [[0, 0, 0], [1, 0, 0.1], [1, 1, 0], [0, 1, 0.1], [0.5, 0.4, 0.2]]
    >>> surface_from_points(corners).faces.shape
    (4, 3)
    """
    from scipy.spatial import Delaunay, QhullError

    label = f"point cloud {name!r}" if name else "the point cloud"
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 3 or len(cloud) < 3 or not np.isfinite(cloud).all():
        raise InvalidRecordError(
            f"{label} is not a finite array of shape (v, 3) with at least three points; it has "
            f"shape {cloud.shape}."
        )
    seen = cloud @ _view_plane(cloud, direction)
    try:
        triangulation = Delaunay(seen)
    except QhullError as error:
        raise InvalidRecordError(
            f"{label} lies on a line when seen along the direction; choose another direction."
        ) from error
    faces = triangulation.simplices[_without_flat_rim(seen, triangulation)].astype(np.int64)
    surface = Surface(cloud, _anticlockwise(seen, faces), name)
    _require_few_folds(surface, label)
    return surface


def _view_plane(cloud: Floats, direction: ArrayLike | None) -> Floats:
    """Two orthonormal axes (columns) that make a right-handed frame with the direction."""
    if direction is None:
        axis = np.linalg.svd(cloud - cloud.mean(axis=0), full_matrices=False)[2][2]
        axis = axis * np.sign(axis[np.abs(axis).argmax()])
    else:
        axis = np.asarray(direction, dtype=np.float64)
    if axis.shape != (3,) or not np.isfinite(axis).all() or not np.linalg.norm(axis) > 0:
        raise InvalidRecordError("direction must be three finite numbers, not all zero.")
    first = np.linalg.svd(axis[None])[2][1]
    return np.stack([first, np.cross(axis / np.linalg.norm(axis), first)], axis=1)


def _anticlockwise(seen: Floats, faces: Indices) -> Indices:
    a, b, c = (seen[faces[:, i]] for i in range(3))
    turn = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return np.where(turn[:, None] > 0, faces, faces[:, ::-1])


def _without_flat_rim(seen: Floats, triangulation: Any) -> NDArray[np.bool_]:
    """Peel flat triangles off the convex hull as long as that uncovers an interior vertex."""
    simplices, neighbors = triangulation.simplices, triangulation.neighbors
    keep = np.ones(len(simplices), dtype=bool)
    rim = np.zeros(len(seen), dtype=bool)
    rim[triangulation.convex_hull] = True
    pending = np.argwhere(neighbors < 0).tolist()
    while pending:
        t, i = pending.pop()
        tip, start, end = (simplices[t, (i + k) % 3] for k in range(3))
        if rim[tip] or _height_ratio(seen[tip], seen[start], seen[end]) > FLAT_RIM:
            continue
        keep[t], rim[tip] = False, True
        for k in (1, 2):
            other = neighbors[t, (i + k) % 3]
            pending.append([other, int(np.flatnonzero(neighbors[other] == t)[0])])
    return keep


def _height_ratio(tip: Floats, start: Floats, end: Floats) -> float:
    base, side = end - start, tip - start
    return float(abs(base[0] * side[1] - base[1] * side[0]) / (base @ base))


def _require_few_folds(surface: Surface, label: str) -> None:
    """Count triangles at more than 90 degrees to a neighbour: a sign of layers mixed up."""
    corners = surface.vertices[surface.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ends = np.sort(half_edges(surface.faces), axis=1)
    order = np.lexsort(ends.T)
    pairs = np.flatnonzero((ends[order][1:] == ends[order][:-1]).all(axis=1))
    left, right = order[pairs] // 3, order[pairs + 1] // 3
    folds = int(((normals[left] * normals[right]).sum(axis=1) < 0).sum())
    if folds == 0:
        return
    sentence = (
        f"{label} folds back on itself at {folds} of {len(pairs)} edges when triangulated by "
        "projection; give the triangles of the mesh instead, or another direction."
    )
    if folds > LARGEST_FOLDED_FRACTION * len(pairs):
        raise InvalidRecordError(sentence)
    warnings.warn(sentence, stacklevel=3)
