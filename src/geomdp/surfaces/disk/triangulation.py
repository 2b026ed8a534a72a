"""Delaunay triangulations of the plane that locate points soon after they are built."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError

#: Triangles flatter than this, by the reciprocal of their condition, hold no point: SciPy's limit.
FLAT = 1000 * np.finfo(float).eps
#: Without merging facets that are flat up to rounding, Qhull takes two thirds of the time. Where
#: that fails it says so, or leaves points out.
UNMERGED = "Qbb Q12 Q0"


class PlaneTriangulation(Delaunay):  # type: ignore[misc]
    """Delaunay triangulation of points (p, 2), with all triangles inverted at once.

    SciPy inverts them one by one by LAPACK, which takes longer than to sample a surface.

    Parameters
    ----------
    points : array (p, 2)
        Distinct.
    quick : bool
        Take two thirds of the time. Of two triangulations that are Delaunay, up to rounding, either
        may come out.

    Examples
    --------
    >>> corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1.1]])
    >>> plane = PlaneTriangulation(corners)
    >>> bool(np.allclose(plane.transform, Delaunay(corners).transform))
    True
    """

    def __init__(self, points: NDArray[np.float64], quick: bool = False) -> None:
        if quick:
            with suppress(QhullError):
                super().__init__(points, qhull_options=UNMERGED)
                if self.is_whole:
                    return
        super().__init__(points)

    @property
    def is_whole(self) -> bool:
        """Whether all points are corners of triangles that lie side by side."""
        around = int(np.count_nonzero(self.neighbors < 0))
        whole = self.nsimplex == 2 * self.npoints - 2 - around
        return whole and bool(np.bincount(self.simplices.ravel(), minlength=self.npoints).all())

    @cached_property
    def transform(self) -> NDArray[np.float64]:
        """Affine maps (triangles, 3, 2) to barycentric coordinates, as SciPy lays them out."""
        first, second, last = self.points[self.simplices].transpose(1, 2, 0)
        (a, c), (b, d) = first - last, second - last
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = np.array([d, -b, -c, a]) / (a * d - b * c)
            size = np.maximum(abs(a) + abs(c), abs(b) + abs(d))
            p, q, r, s = abs(inverse)
            flat = ~(size * np.maximum(p + r, q + s) < 1 / FLAT)
        maps: NDArray[np.float64] = np.concatenate([inverse, last]).T.reshape(-1, 3, 2)
        maps[flat] = np.nan
        return np.ascontiguousarray(maps)
