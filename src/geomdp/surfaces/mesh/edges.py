"""The edges of a set of triangles, and the loops of those that have a triangle on one side only."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def half_edges(faces: Indices) -> Indices:
    """Directed edges of all triangles, ``(3 f, 2)``: side ``i`` of face ``t`` in row ``3 t + i``.

    Side ``i`` runs from corner ``i + 1`` to corner ``i + 2``, that is, it lies opposite corner
    ``i``.

    Examples
    --------
    >>> half_edges(np.array([[0, 1, 2]])).tolist()
    [[1, 2], [2, 0], [0, 1]]
    """
    return np.stack([faces[:, [1, 2, 0]], faces[:, [2, 0, 1]]], axis=2).reshape(-1, 2)


class Edges:
    """The undirected edges of triangles, sorted once for all questions about them.

    ``half`` are the :func:`half_edges`; ``first``, ``counts`` and ``upward`` say for each edge
    which of them is its first, how many it has, and how many run to the larger vertex number.

    Examples
    --------
    >>> square = Edges(np.array([[0, 1, 2], [0, 2, 3]]))
    >>> square.counts.tolist(), [loop.tolist() for loop in square.loops]
    ([1, 2, 1, 1, 1], [[0, 1, 2, 3]])
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
