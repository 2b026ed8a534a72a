"""A triangulated surface: vertices and triangles, with the normalisation used before comparing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.typing import Floats, Indices

# --- The edges of a set of triangles, and the loops of those that have a triangle on one side only.


def half_edges(faces: Indices) -> Indices:
    """Directed edges of all triangles, ``(3 f, 2)``: side ``i`` of face ``t`` in row ``3 t + i``.

    Side ``i`` runs from corner ``i + 1`` to corner ``i + 2``, that is, it lies opposite corner
    ``i``.
    """
    return np.stack([faces[:, [1, 2, 0]], faces[:, [2, 0, 1]]], axis=2).reshape(-1, 2)


class Edges:
    """The undirected edges of triangles, sorted once for all questions about them.

    ``half`` are the :func:`half_edges`; ``first``, ``counts`` and ``upward`` say for each edge
    which of them is its first, how many it has, and how many run to the larger vertex number.
    """

    def __init__(self, faces: Indices) -> None:
        self.half = half_edges(faces)
        start, end = self.half.T
        keys = np.minimum(start, end) * (int(faces.max()) + 1) + np.maximum(start, end)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        self.first: Indices = order[begins]
        self.counts: Indices = np.diff(np.append(begins, len(keys)))
        self.upward: Indices = np.add.reduceat((start < end)[order].astype(np.int64), begins)

    @cached_property
    def boundary(self) -> Indices:
        """Directed edges (b, 2) of one triangle only."""
        return self.half[self.first[self.counts == 1]]

    @cached_property
    def loops(self) -> list[Indices]:
        """Boundary loops, each from its smallest vertex on in the direction of its triangles."""
        following = dict(self.boundary.tolist())
        loops = []
        while following:
            loop = [min(following)]
            while (vertex := following.pop(loop[-1], loop[0])) != loop[0]:
                loop.append(vertex)
            loops.append(np.array(loop))
        return loops


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangle mesh in space.

    Parameters
    ----------
    vertices : array of shape (v, 3)
        Positions, finite.
    faces : array of shape (f, 3)
        Vertex indices of each triangle.
    name : str
        What error messages call the surface, usually the file it came from.

    Examples
    --------
    >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    >>> square.area
    1.0
    """

    vertices: Floats
    faces: Indices
    name: str = ""

    def __post_init__(self) -> None:
        vertices = _vertices(self.vertices, self.label)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", _faces(self.faces, len(vertices), self.label))

    @property
    def label(self) -> str:
        """The surface as error messages call it.

        Examples
        --------
        >>> Surface(np.eye(3), [[0, 1, 2]], name="anna.obj").label
        "surface 'anna.obj'"
        """
        return f"surface {self.name!r}" if self.name else "the surface"

    @property
    def corners(self) -> Floats:
        """Places (3, f, 3) of the first, second and third corners of the triangles.

        Examples
        --------
        >>> Surface(np.eye(3), [[2, 0, 1]]).corners[0].tolist()
        [[0.0, 0.0, 1.0]]
        """
        return self.vertices[self.faces.T]

    @property
    def face_areas(self) -> Floats:
        """Areas of the triangles.

        Examples
        --------
        >>> Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).face_areas.tolist()
        [0.5]
        """
        areas: Floats = np.linalg.norm(self.face_normals, axis=1)
        return areas

    @property
    def face_normals(self) -> Floats:
        """Normals of the triangles, as long as their areas.

        Examples
        --------
        >>> Surface([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]).face_normals.tolist()
        [[0.0, 0.0, 3.0]]
        """
        a, b, c = self.corners
        return np.cross(b - a, c - a) / 2

    @property
    def area(self) -> float:
        """Total area.

        Examples
        --------
        >>> Surface([[0, 0, 0], [2, 0, 0], [0, 2, 0]], [[0, 1, 2]]).area
        2.0
        """
        return float(self.face_areas.sum())

    @property
    def vertex_areas(self) -> Floats:
        """Areas around the vertices: a third of each triangle to each of its corners.

        Examples
        --------
        >>> Surface([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]).vertex_areas.tolist()
        [1.0, 1.0, 1.0]
        """
        thirds = np.repeat(self.face_areas / 3, 3)
        areas: Floats = np.zeros(len(self.vertices))
        np.add.at(areas, self.faces.ravel(), thirds)
        return areas

    @property
    def vertex_normals(self) -> Floats:
        """Unit normals at the vertices, of the triangles around weighted by their area.

        Examples
        --------
        >>> Surface([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]).vertex_normals[0].tolist()
        [0.0, 0.0, 1.0]
        """
        normals, around = np.zeros_like(self.vertices), self.face_normals
        for corners in self.faces.T:
            np.add.at(normals, corners, around)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        return normals

    @cached_property
    def edges(self) -> Edges:
        """The edges of the triangles.

        Examples
        --------
        >>> Surface(np.eye(3), [[0, 1, 2]]).edges.counts.tolist()
        [1, 1, 1]
        """
        return Edges(self.faces)

    def with_vertices(self, vertices: Floats) -> Surface:
        """Move the triangles elsewhere; they are not looked at again.

        Examples
        --------
        >>> corner = Surface(np.eye(3), [[0, 1, 2]])
        >>> twice = corner.with_vertices(2 * corner.vertices)
        >>> twice.area / corner.area, twice.edges is corner.edges
        (4.0, True)
        """
        moved = object.__new__(Surface)
        kept = {"faces": self.faces, "name": self.name, "edges": self.edges}
        vars(moved).update(vertices=_vertices(vertices, self.label), **kept)
        return moved

    def __getstate__(self) -> dict[str, object]:
        """Leave out what follows from the triangles, so that little is sent to other processes."""
        return {key: value for key, value in vars(self).items() if key != "edges"}

    def normalised(self) -> Surface:
        """Copy with its centroid (by area) at the origin and area one.

        Lengths are divided by the square root of the area; paper 4 prints division by the area
        itself, which would leave area ``1 / area``.

        Examples
        --------
        >>> unit = Surface([[0, 0, 5], [9, 0, 5], [0, 9, 5]], [[0, 1, 2]]).normalised()
        >>> round(unit.area, 12), bool(np.allclose(unit.vertices.mean(axis=0), 0))
        (1.0, True)
        """
        areas = self.face_areas
        area = areas.sum()
        if not area > 0:
            raise InvalidRecordError(
                f"{self.label} has area {area}, so it cannot be scaled to area one; "
                "check that its vertices are not all on one line."
            )
        a, b, c = self.corners
        centroid = areas @ (a + b + c) / (3 * area)
        return self.with_vertices((self.vertices - centroid) / np.sqrt(area))


def _vertices(values: object, label: str) -> Floats:
    vertices = np.asarray(values, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 3:
        raise InvalidRecordError(
            f"{label} has vertices of shape {vertices.shape}; give an array of shape (v, 3) "
            "with at least three vertices."
        )
    bad = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if bad.size:
        raise InvalidRecordError(
            f"{label} has {bad.size} vertices that are NaN or infinite (first: vertex {bad[0]}); "
            "remove or repair them before loading."
        )
    return vertices


def _faces(values: object, count: int, label: str) -> Indices:
    raw = np.asarray(values)
    if raw.ndim != 2 or raw.shape[1] != 3 or len(raw) == 0 or raw.dtype.kind not in "iu":
        raise InvalidRecordError(
            f"{label} has faces of shape {raw.shape} and type {raw.dtype}; give integer vertex "
            "indices of shape (f, 3), one row a triangle."
        )
    faces = raw.astype(np.int64)
    if faces.min() < 0 or faces.max() >= count:
        raise InvalidRecordError(
            f"{label} has a triangle with vertex index {faces.min()} to {faces.max()}, but its "
            f"{count} vertices are numbered 0 to {count - 1}; check the file's numbering."
        )
    return faces
