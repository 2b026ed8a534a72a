"""The profile of a surface: where it is cut from top to bottom through the middle."""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.surfaces.mesh.surface import Surface

#: An edge by its two ends, the smaller number first.
Edge: TypeAlias = tuple[int, int]


def profile(public: "Surface", vertices: Array) -> Array:
    """Return the profile (m, 2) of a surface that has the triangles of a public one.

    The edges that are cut are the public surface's, so that the profiles of several surfaces go
    through the same places of it. The surface looks to the right.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> face = template_face()
    >>> line = profile(face, face.vertices)
    >>> bool(np.isclose(line[:, 1].max(), face.vertices[:, 1].max(), atol=0.05))
    True
    """
    across = public.vertices[:, 0] - public.vertices[:, 0].mean()
    here, there = np.array(_longest_cut(public.faces, across > 0)).T
    share = (across[here] / (across[here] - across[there]))[:, None]
    met = (1 - share) * vertices[here] + share * vertices[there]
    return np.asarray(met[:, [2, 1]])


def _longest_cut(faces: Array, right: Array) -> list[Edge]:
    """Return the edges between the two sides, in order, along the longest line that they form."""
    neighbours: dict[Edge, list[Edge]] = {}
    sides = right[faces].sum(axis=1)
    for a, b, c in faces[(sides == 1) | (sides == 2)].tolist():
        edges = [(min(ends), max(ends)) for ends in ((a, b), (b, c), (c, a))]
        first, second = (edge for edge in edges if right[edge[0]] != right[edge[1]])
        neighbours.setdefault(first, []).append(second)
        neighbours.setdefault(second, []).append(first)
    ends = sorted(edge for edge, near in neighbours.items() if len(near) == 1)
    return max((_walk(end, neighbours) for end in ends or sorted(neighbours)), key=len)


def _walk(at: Edge, neighbours: dict[Edge, list[Edge]]) -> list[Edge]:
    """Follow a line from one of its edges."""
    seen = {at: None}
    while fresh := [edge for edge in neighbours[at] if edge not in seen]:
        at = fresh[0]
        seen[at] = None
    return list(seen)
