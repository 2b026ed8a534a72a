"""Is this mesh a disk, and if not, why: components, boundary loops, edges, handles."""

from __future__ import annotations

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.surface import Surface
from geomdp.typing import Floats, Indices

#: A triangle whose height is below this fraction of its longest edge has no usable angles.
FLAT_TRIANGLE = 1e-10


def euler_characteristic(surface: Surface) -> int:
    """Vertices minus edges plus triangles; one for a disk, two for a closed sphere."""
    return _used_vertices(surface) - len(surface.edges.counts) + len(surface.faces)


def _used_vertices(surface: Surface) -> int:
    """Count the vertices that belong to a triangle."""
    return int(np.count_nonzero(np.bincount(surface.faces.ravel())))


def boundary_loops(surface: Surface) -> list[Indices]:
    """Boundary loops, longest (by length) first, each in the direction of its triangles.

    A loop starts at its smallest vertex index, so meshes with the same triangles have the same
    loops.
    """
    _require_no_pinch(surface)
    return sorted(surface.edges.loops, key=lambda loop: -loop_lengths(surface, loop).sum())


def _require_no_pinch(surface: Surface) -> None:
    starts, repeats = np.unique(surface.edges.boundary[:, 0], return_counts=True)
    if (repeats > 1).any():
        raise InvalidRecordError(
            f"{surface.label} pinches to a point at vertex {starts[repeats > 1][0]}, where its "
            "boundary meets itself; split the vertex or remove one of the parts."
        )


def loop_lengths(surface: Surface, loop: Indices) -> Floats:
    """Lengths of the edges of a loop, from each vertex to the next."""
    points = surface.vertices[loop]
    lengths: Floats = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    return lengths


def loop_middle(surface: Surface, loop: Indices) -> Floats:
    """Centroid of a loop, by length."""
    lengths = loop_lengths(surface, loop)
    middle: Floats = (lengths + np.roll(lengths, 1)) @ surface.vertices[loop]
    return middle / (2 * lengths.sum())


def largest_component(surface: Surface) -> Surface:
    """Return the connected part of largest area, its vertices renumbered in their old order.

    Examples
    --------
    >>> corners = np.concatenate([np.eye(3), 5 * np.eye(3), np.zeros((1, 3))])
    >>> largest_component(Surface(corners, [[0, 1, 2], [3, 4, 5]])).faces.tolist()
    [[0, 1, 2]]
    """
    return with_vertex_numbers(surface)[0]


def with_vertex_numbers(surface: Surface) -> tuple[Surface, Indices]:
    """Return the :func:`largest_component` and the old numbers of its vertices."""
    labels = _component_labels(surface)[surface.faces[:, 0]]
    faces = surface.faces[labels == np.bincount(labels, weights=surface.face_areas).argmax()]
    used, renumbered = np.unique(faces, return_inverse=True)
    return Surface(surface.vertices[used], renumbered.reshape(-1, 3), surface.name), used


def require_disk(surface: Surface) -> Indices:
    """Return the boundary loop of a disk-like surface, or say what keeps it from being one.

    Examples
    --------
    >>> require_disk(Surface(np.eye(3), [[0, 1, 2]])).tolist()
    [0, 1, 2]
    """
    _require_triangles(surface)
    _require_manifold_edges(surface)
    _require_one_component(surface)
    loops = boundary_loops(surface)
    if not loops:
        raise InvalidRecordError(
            f"{surface.label} is closed (it has no boundary); cut it open, since only a surface "
            "with one boundary loop maps to a disk."
        )
    if len(loops) > 1:
        sizes = ", ".join(str(len(loop)) for loop in loops)
        raise InvalidRecordError(
            f"{surface.label} has {len(loops)} boundary loops (with {sizes} edges); close its "
            "holes with fill_holes."
        )
    if (characteristic := euler_characteristic(surface)) != 1:
        raise InvalidRecordError(
            f"{surface.label} has Euler characteristic {characteristic} where a disk has 1, so it "
            "has handles or parts joined at single vertices; remove them in a mesh editor."
        )
    return loops[0]


def _require_triangles(surface: Surface) -> None:
    areas = surface.face_areas
    if not areas.sum() > 0:
        raise InvalidRecordError(
            f"{surface.label} has zero area; check that its vertices are not all on one line."
        )
    a, b, c = surface.corners
    longest = np.max([((q - p) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    flat = np.flatnonzero(2 * areas <= FLAT_TRIANGLE * longest)
    if flat.size:
        raise InvalidRecordError(
            f"{surface.label} has {flat.size} degenerate triangles (first: triangle {flat[0]} with "
            f"vertices {surface.faces[flat[0]].tolist()}); collapse them or move their vertices."
        )


def _require_manifold_edges(surface: Surface) -> None:
    edges = surface.edges
    many = edges.counts > 2
    if many.any():
        raise InvalidRecordError(
            f"{surface.label} has {many.sum()} non-manifold edges (first: vertices "
            f"{edges.half[edges.first[many][0]].tolist()}), shared by three or more triangles; "
            "remove the extra triangles."
        )
    alike = (edges.counts == 2) & (edges.upward != 1)
    if alike.any():
        raise InvalidRecordError(
            f"{surface.label} has triangles of opposite orientation at {alike.sum()} edges "
            f"(first: vertices {edges.half[edges.first[alike][0]].tolist()}); orient all triangles "
            "alike."
        )


def _component_labels(surface: Surface) -> Indices:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = surface.edges.half[surface.edges.first].T
    size = len(surface.vertices)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    labels: Indices = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels


def _require_one_component(surface: Surface) -> None:
    unused = len(surface.vertices) - _used_vertices(surface)
    parts = int(_component_labels(surface).max()) + 1 - unused
    if parts > 1:
        raise InvalidRecordError(
            f"{surface.label} has {parts} components; keep one of them with largest_component."
        )
    if unused:
        raise InvalidRecordError(
            f"{surface.label} has {unused} vertices that belong to no triangle; remove them with "
            "largest_component."
        )


# --- The rim of a surface: smoothed, since a scan ends where it happens to, and what lies over it.

#: Rounds of smoothing. Ragged rims lock on each other in registration; ten rounds, a bell of some
#: two edges either way, took true correspondence from 1.1 to 0.7 mm.
ROUNDS = 10


def smooth_rim(surface: Surface, rounds: int = ROUNDS) -> Surface:
    """Average the vertices of the longest boundary loop with their neighbours along the loop.

    Each round replaces a vertex by a quarter of either neighbour and half of itself. Vertices
    inside stay, and so do the triangles.
    """
    loops = boundary_loops(surface)
    if not rounds or not loops:
        return surface
    rim = surface.vertices[loops[0]]
    for _ in range(rounds):
        rim = (np.roll(rim, 1, axis=0) + 2 * rim + np.roll(rim, -1, axis=0)) / 4
    vertices = surface.vertices.copy()
    vertices[loops[0]] = rim
    return surface.with_vertices(vertices)


def bulge(surface: Surface) -> float:
    """Volume between a surface and the cone over its rim, positive where normals point outwards.

    In units of area to the power 3/2; the tip of the cone is the middle of the rim.
    """
    loops = boundary_loops(surface)
    middle = loop_middle(surface, loops[0]) if loops else surface.vertices.mean(axis=0)
    normals = surface.face_normals
    apart = surface.vertices[surface.faces[:, 0]] - middle
    area = float(np.linalg.norm(normals, axis=1).sum())
    return float(np.sum(apart * normals) / 3 / area**1.5)
