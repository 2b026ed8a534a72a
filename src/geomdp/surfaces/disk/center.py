"""Which vertex goes to the centre of the disk: an index, a landmark, or a public rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.disk.laplacian import DirichletSolver, cotangent_stiffness
from geomdp.surfaces.mesh.surface import Surface, half_edges
from geomdp.surfaces.mesh.topology import loop_middle
from geomdp.typing import Floats, Indices

#: Names of the rules of :func:`most_protruding` and :func:`middle`.
MOST_PROTRUDING, MIDDLE = "most-protruding", "middle"
RULES = (MOST_PROTRUDING, MIDDLE)

#: Vertices whose times differ by less are equally far inside: the first of them is the middle.
TIE = 1e-7

#: Depth of the tip of which the middle is taken, in units of the root of the area (4 mm of a face),
#: and how many times as wide it may be.
TIP, REACH = 0.02, 5.0

#: A vertex index, the coordinates of a landmark, ``"most-protruding"`` or ``"middle"``.
Center: TypeAlias = int | Sequence[float] | Floats | str


def center_vertex(surface: Surface, center: Center, loop: Indices) -> int:
    """Interior vertex that ``center`` stands for; ``loop`` is the boundary."""
    if isinstance(center, str):
        if center not in RULES:
            raise InvalidRecordError(
                f"center={center!r} is not a rule for the centre; give a vertex index, three "
                f"coordinates, {MOST_PROTRUDING!r} or {MIDDLE!r}."
            )
        return (most_protruding if center == MOST_PROTRUDING else middle)(surface, loop)
    vertex = _given_vertex(surface, np.asarray(center))
    if vertex in loop:
        raise InvalidRecordError(
            f"{surface.label} has the centre vertex {vertex} on its boundary; choose a vertex "
            f"inside, for example center={MIDDLE!r}."
        )
    return vertex


def vertex_or_rule(surface: Surface, center: Center) -> int | str:
    """Vertex index of a landmark, so that the surface may be moved and scaled; a rule stays one."""
    return center if isinstance(center, str) else _given_vertex(surface, np.asarray(center))


def most_protruding(surface: Surface, loop: Indices) -> int:
    """Interior vertex farthest out along the direction in which the surface is thinnest.

    The direction is the axis of least variance of the area, pointing from the middle of the
    boundary ``loop`` to the side where the surface lies. This is the tip of the nose for nearly
    every face (a landmark is safer), and the summit of a hill or the bottom of a valley. When
    several are equally far (a flat surface) the one in their middle wins.

    The height of a vertex is the median over the vertices within two edges, and the middle of all
    that reach within ``TIP`` of the highest is taken, so that no spike becomes the centre.
    """
    found = _heights(surface, loop)
    summit = _middle_of(found.offsets, np.flatnonzero(found.heights >= found.heights.max() - 1e-9))
    return found.tip(summit)


def middle(surface: Surface, loop: Indices) -> int:
    """Interior vertex from which a random walk takes longest to reach the boundary ``loop``.

    Serves any disk-like surface, with a nose or without. The time u solves ``-Laplace u = 1`` on
    the surface with u = 0 on its boundary: it depends on lengths within the surface alone, so that
    no rotation changes it, and on all of the surface, so that no spike or small step of the
    boundary moves it far. Vertices that tie, as on a symmetric mesh, give way to the first.
    """
    _interior(surface, loop)
    thirds = np.repeat(surface.face_areas / 3, 3)
    around = np.bincount(surface.faces.ravel(), thirds, minlength=len(surface.vertices))
    stiffness = cotangent_stiffness(surface.vertices, surface.faces)
    time = DirichletSolver(stiffness, loop).respond(around.astype(np.complex128)).real
    return int(np.flatnonzero(time >= (1 - TIE) * time.max())[0])


def next_protruding(surface: Surface, loop: Indices) -> int | None:
    """Interior vertex that protrudes most apart from :func:`most_protruding`; None without one.

    On some faces the chin or the brow protrudes more than the nose: this is the second guess. It is
    the highest that nothing around it exceeds.
    """
    found = _heights(surface, loop)
    first = int(np.flatnonzero(found.vertices == most_protruding(surface, loop))[0])
    peaks = np.flatnonzero(found.peaks & ~found.around(first))
    for summit in peaks[np.argsort(-found.heights[peaks], kind="stable")].tolist():
        if found.heights[found.around(summit)].max() <= found.heights[summit]:
            return found.tip(summit)
    return None


@dataclass(frozen=True, eq=False)
class _Heights:
    """How far the interior vertices of a surface protrude, in units of the root of the area."""

    vertices: Indices
    offsets: Floats
    heights: Floats
    #: Whether no neighbour along an edge is higher.
    peaks: NDArray[np.bool_]

    def around(self, at: int) -> NDArray[np.bool_]:
        """Tell which vertices are near one of them."""
        near: NDArray[np.bool_] = (
            np.linalg.norm(self.offsets - self.offsets[at], axis=1) < REACH * TIP
        )
        return near

    def tip(self, summit: int) -> int:
        """Return the vertex in the middle of the tip around a summit."""
        near = self.around(summit)
        top = self.heights[near].max()
        chosen = np.flatnonzero(near & (self.heights >= top - TIP))
        return int(self.vertices[_middle_of(self.offsets, chosen)])


def _interior(surface: Surface, loop: Indices) -> Indices:
    """Vertices inside the boundary; refuse a surface without any."""
    interior = np.setdiff1d(np.arange(len(surface.vertices)), loop)
    if interior.size == 0:
        raise InvalidRecordError(
            f"{surface.label} has no vertex inside its boundary, so none can be the centre of the "
            "disk; refine the mesh."
        )
    return interior


def _heights(surface: Surface, loop: Indices) -> _Heights:
    interior = _interior(surface, loop)
    unit = np.sqrt(surface.area)
    origin = loop_middle(surface, loop)
    offsets = (surface.vertices - origin) / unit
    heights = _neighbourhood_medians(surface.faces, offsets @ _outward_axis(surface, origin))
    start, end = surface.edges.half.T
    highest = heights.copy()
    np.maximum.at(highest, start, heights[end])
    np.maximum.at(highest, end, heights[start])
    peaks = heights >= highest
    return _Heights(interior, offsets[interior], heights[interior], peaks[interior])


def _middle_of(points: Floats, chosen: Indices) -> int:
    """Return the chosen point nearest to the median of all chosen."""
    apart = points[chosen] - np.median(points[chosen], axis=0)
    return int(chosen[np.linalg.norm(apart, axis=1).argmin()])


def _neighbourhood_medians(faces: Indices, values: Floats) -> Floats:
    """Lower median of the values at each vertex and its neighbours within two edges."""
    from scipy.sparse import csr_array, eye_array

    start, end = half_edges(faces).T
    size = len(values)
    joined = np.concatenate([start, end]), np.concatenate([end, start])
    near = csr_array((np.ones(2 * len(start), dtype=np.int32), joined), shape=(size, size))
    near = near + eye_array(size, dtype=np.int32, format="csr")
    around = csr_array(near @ near)
    counts = np.diff(around.indptr)
    rows = np.repeat(np.arange(size), counts)
    ordered = values[around.indices][np.lexsort((values[around.indices], rows))]
    medians: Floats = ordered[around.indptr[:-1] + (counts - 1) // 2]
    return medians


def _outward_axis(surface: Surface, middle: Floats) -> Floats:
    weights = surface.face_areas / surface.area
    centers = surface.vertices[surface.faces].mean(axis=1)
    spread = centers - weights @ centers
    axis: Floats = np.linalg.eigh((weights[:, None] * spread).T @ spread)[1][:, 0]
    return axis if (weights @ centers - middle) @ axis >= 0 else -axis


def _given_vertex(surface: Surface, center: Floats) -> int:
    if center.ndim == 0 and center.dtype.kind in "iu":
        if not 0 <= int(center) < len(surface.vertices):
            raise InvalidRecordError(
                f"{surface.label} has no vertex {int(center)}; choose a centre from 0 to "
                f"{len(surface.vertices) - 1}."
            )
        return int(center)
    if center.shape != (3,) or center.dtype.kind not in "iuf" or not np.isfinite(center).all():
        raise InvalidRecordError(
            f"the centre of {surface.label} is neither a vertex index nor three finite "
            f"coordinates; give one of these, {MOST_PROTRUDING!r} or {MIDDLE!r}."
        )
    return int(((surface.vertices - center) ** 2).sum(axis=1).argmin())
