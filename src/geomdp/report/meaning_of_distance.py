"""Spaces by their spoken names, and what a distance on one means in everyday terms.

Both are registered a space (``singledispatch``), so that another package can say its own.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from geomdp.curves import FunctionMean
from geomdp.plans import Plan
from geomdp.readings import Reading
from geomdp.report.pictures.scene import Shares, home_of, subject_in, subject_of
from geomdp.spaces.correlation import Correlation
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.product import Product
from geomdp.spaces.rotations import Rotations
from geomdp.spaces.shapes import Shapes
from geomdp.spaces.size_and_shape import SizeAndShape
from geomdp.spaces.spd import LogEuclideanSPD
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.spaces.sphere import Sphere
from geomdp.statistics.base import Statistic
from geomdp.statistics.capabilities import HasMesh
from geomdp.statistics.map_mean import MapMean


@singledispatch
def spoken(space: Any) -> str:
    """Return the name of a space as people say it; its short name if there is none.

    Examples
    --------
    >>> import geomdp as dp
    >>> spoken(dp.Sphere(2)), spoken(dp.SPD(3, "log-euclidean"))
    ('the sphere S²', '3 x 3 positive definite matrices (log-Euclidean metric)')
    """
    return str(space.spec)


@spoken.register
def _(space: Sphere) -> str:
    names = {1: "the circle", 2: "the sphere S²"}
    return names.get(space.dim, f"the sphere of dimension {space.dim}")


@spoken.register
def _(subject: Shares) -> str:
    return f"compositions of {subject.parts} parts"


@spoken.register
def _(space: AffineSPD) -> str:
    return f"{space.k} x {space.k} positive definite matrices"


@spoken.register
def _(space: LogEuclideanSPD) -> str:
    return f"{space.k} x {space.k} positive definite matrices (log-Euclidean metric)"


@spoken.register
def _(space: PlanarShapes) -> str:
    return f"planar shapes with {space.landmarks} landmarks"


@spoken.register
def _(space: Hyperbolic) -> str:
    return f"hyperbolic space of dimension {space.dim}"


@spoken.register
def _(space: Rotations) -> str:
    return "rotations of space"


@spoken.register
def _(space: Correlation) -> str:
    return f"{space.k} x {space.k} correlation matrices"


@spoken.register
def _(space: SizeAndShape) -> str:
    return f"size and shape of {space.landmarks} landmarks in {space.m} dimensions"


@spoken.register
def _(space: Shapes) -> str:
    return f"shapes of {space.landmarks} landmarks in {space.m} dimensions"


@spoken.register
def _(space: Product) -> str:
    return " and ".join(spoken(factor) for factor in space.factors)


@spoken.register
def _(space: Euclidean) -> str:
    return f"Euclidean space of dimension {space.dim}"


@singledispatch
def title_of(statistic: Any) -> str:
    """Return a heading for a private statistic.

    Examples
    --------
    >>> import geomdp as dp
    >>> title_of(dp.FrechetMean(dp.Ball(dp.Euclidean(1), [0.0], 1.0)))
    'Private mean on Euclidean space of dimension 1'
    """
    space, ball = statistic.value_space, statistic.public_ball
    if space is None:
        return "Private statistic"
    return f"Private {'statistic' if ball is None else 'mean'} on {spoken(space)}"


@title_of.register
def _(statistic: FunctionMean) -> str:
    return "Private mean function"


@title_of.register
def _(statistic: MapMean) -> str:
    return f"Private mean map of {statistic.voxels} voxels"


@title_of.register
def _(statistic: HasMesh) -> str:
    return "Private mean surface"


def title_for(plan: Plan) -> str:
    """Return a heading for what a plan releases, by what its records are.

    >>> import geomdp as dp
    >>> from geomdp.readings import Compositions
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0.6, 0.8, 0.0], 0.3))
    >>> title_for(dp.plan(mean, n=99, budget=dp.Pure(1), reading=Compositions()))
    'Private mean of compositions of 3 parts'
    """
    title, ball = title_of(plan.statistic), plan.statistic.public_ball
    if ball is None:
        return title
    subject = subject_in(ball.space, plan.reading)
    of = "of" if isinstance(subject, Shares) else "on"
    return title.replace(f"on {spoken(ball.space)}", f"{of} {spoken(subject)}")


def with_spoken_spaces(text: str, plan: Plan) -> str:
    """Return a description with the short name of the plan's space replaced by its spoken one.

    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0.6, 0.8, 0.0], 0.3))
    >>> made = dp.plan(mean, n=99, budget=dp.Pure(1), mechanism="laplace")
    >>> with_spoken_spaces(mean.describe(), made)
    'Fréchet mean on the sphere S², ball of radius 0.3'
    """
    space = home_of(plan.statistic)
    if space is None:
        return text
    return text.replace(space.spec, spoken(subject_in(space, plan.reading)))


def in_words(statistic: Statistic, error: float, reading: Reading | None = None) -> str:
    """Return an error with what it means on its space.

    Examples
    --------
    >>> import geomdp as dp
    >>> in_words(dp.Summary(dp.Sphere(2), 0.1), 0.0191)
    '0.0191 rad (1.09°)'
    >>> in_words(dp.Summary(dp.SPD(3), 0.1), 0.02)
    '0.02 (no variance off by more than 2.02%)'
    >>> from geomdp.readings import Compositions
    >>> in_words(dp.Summary(dp.Sphere(2), 0.1), 0.02, Compositions())
    '0.02 rad (no share off by more than 2 percentage points)'
    """
    return f"{error:.3g}{meaning_of(subject_of(statistic, reading), error)}"


@singledispatch
def meaning_of(subject: object, error: float) -> str:
    """Return what follows the number of a distance on a space, or of a statistic that has none.

    >>> import geomdp as dp
    >>> meaning_of(dp.Euclidean(2), 0.5)
    ''
    """
    return ""


@meaning_of.register
def _(space: Sphere, error: float) -> str:
    return f" rad ({np.degrees(error):.3g}°)" if space.curvature == 1 else ""


@meaning_of.register
def _(subject: Shares, error: float) -> str:
    # Total variation is at most the sine of the angle between square roots, so no share, nor sum
    # of shares, differs by more.
    off = np.sin(min(error, np.pi / 2))
    return f" rad (no share off by more than {100 * off:.3g} percentage points)"


@meaning_of.register
def _(space: AffineSPD, error: float) -> str:
    # Logs of relative eigenvalues are at most the distance, so v'Pv is within e^distance.
    return f" (no variance off by more than {_percent(np.expm1(error))})"


@meaning_of.register
def _(space: LogEuclideanSPD, error: float) -> str:
    return " (distance of matrix logarithms)"


@meaning_of.register
def _(space: PlanarShapes, error: float) -> str:
    return f" rad ({_percent(error)} of the shape's size)"


@meaning_of.register
def _(space: Rotations, error: float) -> str:
    return f" rad ({np.degrees(error):.3g}°)"


@meaning_of.register
def _(space: Correlation, error: float) -> str:
    return " (distance of matrix logarithms off the diagonal)"


@meaning_of.register
def _(space: SizeAndShape, error: float) -> str:
    return f" ({error / np.sqrt(space.landmarks):.3g} a landmark, root mean square)"


@meaning_of.register
def _(space: Shapes, error: float) -> str:
    return f" rad ({_percent(error)} of the shape's size)"


@meaning_of.register
def _(statistic: MapMean, error: float) -> str:
    return " (root mean square over the voxels)"


@meaning_of.register
def _(statistic: HasMesh, error: float) -> str:
    return f" ({_percent(error)} of the root of the area, root mean square)"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%" if share < 10 else f"a factor {1 + share:.3g}"
