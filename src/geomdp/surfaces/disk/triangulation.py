"""Delaunay triangulations of the plane that locate points soon after they are built.

A file of its own, imported where a surface is sampled: SciPy is slow to load, and help needs none.
"""

from contextlib import suppress
from functools import cached_property

import numpy as np
from scipy.spatial import Delaunay, QhullError

from geomdp.typing import Floats

#: Triangles flatter than this, by the reciprocal of their condition, hold no point: SciPy's limit.
FLAT = 1000 * np.finfo(float).eps
#: Without merging facets that are flat up to rounding, Qhull takes two thirds of the time. Where
#: that fails it says so, or leaves points out.
UNMERGED = "Qbb Q12 Q0"


class PlaneTriangulation(Delaunay):  # type: ignore[misc]
    """Delaunay triangulation of points (p, 2), with all triangles inverted at once.

    SciPy inverts them one by one by LAPACK, which takes longer than to sample a surface.

    Points are distinct. ``quick`` takes two thirds of the time: of two triangulations that are
    Delaunay, up to rounding, either may come out.
    """

    def __init__(self, points: Floats, quick: bool = False) -> None:
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
    def transform(self) -> Floats:
        """Affine maps (triangles, 3, 2) to barycentric coordinates, as SciPy lays them out."""
        first, second, last = self.points[self.simplices].transpose(1, 2, 0)
        (a, c), (b, d) = first - last, second - last
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = np.array([d, -b, -c, a]) / (a * d - b * c)
            size = np.maximum(abs(a) + abs(c), abs(b) + abs(d))
            p, q, r, s = abs(inverse)
            flat = ~(size * np.maximum(p + r, q + s) < 1 / FLAT)
        maps: Floats = np.concatenate([inverse, last]).T.reshape(-1, 3, 2)
        maps[flat] = np.nan
        return np.ascontiguousarray(maps)
