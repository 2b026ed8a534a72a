"""Whether a value lies on the public grid: nothing finer may reach a release.

A value was rounded in public coordinates and then made a point of its space in floats
(docs/theory/exact-release.md); here its coordinates are taken again and compared with integers.
"""

import numpy as np

from geomdp.audit.losses import coordinates_of
from geomdp.mechanisms.base import GRID_DIGITS
from geomdp.mechanisms.gaussian_noise import spreads_of
from geomdp.mechanisms.wrapped import tangent_of, works_in_coordinates
from geomdp.planning import Plan
from geomdp.statistics.tangent_mean import TangentMean, linear_view
from geomdp.typing import Array

#: Units in the last place that going back to coordinates may cost.
UNITS = 256
#: Coordinates that are known less well than this part of a step are not judged.
RESOLVED = 0.2


def on_grid(plan: Plan, value: Array) -> bool | None:
    """Tell whether a value lies on a plan's grid; None where floats cannot tell.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    >>> value = plan.release([0.0, 0.0, 1.0]).value
    >>> on_grid(plan, value), on_grid(plan, value + [1e-13, 0.0, 0.0])
    (True, False)
    """
    units, error, scaled = _units(plan, value)
    if not np.all(np.isfinite(units)):
        return None
    tolerance = error + UNITS * float(np.finfo(float).eps) * float(np.max(np.abs(units)))
    if not tolerance < RESOLVED:
        return None
    tried = _multiples(units) if scaled else units[None]
    misses = np.max(np.abs(tried - np.rint(tried)), axis=1)
    return bool(np.min(misses) <= tolerance)


def _units(plan: Plan, value: Array) -> tuple[Array, float, bool]:
    """Coordinates in steps, their float error, and whether points were divided by a length."""
    request = plan.calibration.request
    in_chart = plan.mechanism in ("laplace-ball", "kng", "riemannian-gaussian")
    if in_chart or (plan.mechanism == "laplace" and not works_in_coordinates(request)):
        space, step = plan.calibration.space, 2.0**plan.calibration.grid_exponent
        units = np.asarray(space.coordinates(value[None]))[0] / step
        return units, 0.0, units.size > space.dim
    view = linear_view(request.statistic)
    linear = tangent_of(plan.mechanism, request) if view is None else view[0]
    spreads = spreads_of(linear, plan.scale)
    exponents = np.frexp(spreads)[1] - 1 - GRID_DIGITS
    units = np.ldexp(coordinates_of(linear)(value[None])[0], -exponents)
    error = 0.0
    if isinstance(linear, TangentMean):
        reach = linear.radius + float(np.linalg.norm(np.ldexp(units, exponents)))
        rounding = linear.space.log_rounding(linear.ball.center, reach)
        error = float(rounding / np.ldexp(1.0, int(np.min(exponents))))
    return units, error, False


def _multiples(units: Array) -> Array:
    """Candidates before the division by the length, which moved it by less than sqrt(D) steps."""
    largest = int(np.argmax(np.abs(units)))
    reach = int(np.ceil(np.sqrt(units.size))) + 1
    whole = np.rint(units[largest]) + np.arange(-reach, reach + 1)
    return units * (whole / units[largest])[:, None]
