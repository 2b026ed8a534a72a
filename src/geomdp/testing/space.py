"""The property suite: what means, balls, sensitivities and samplers rely on of a space."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from geomdp.spaces.base import Space
from geomdp.testing import geometry, numbers, volume
from geomdp.testing.samples import Samples

#: Raises an AssertionError with the worst case if it does not hold on these samples.
Property: TypeAlias = Callable[[Samples], None]

#: Properties of arrays of any library.
OF_ARRAYS: tuple[Property, ...] = (
    geometry.exp_and_log_are_inverse,
    geometry.results_stay_on_the_space,
    geometry.distance_is_the_length_of_log_and_symmetric,
    geometry.triangle_inequality,
    geometry.move_is_an_isometry_that_takes_the_origin_to_p,
    geometry.moving_back_undoes_moving,
    geometry.transport_is_isometric_and_turns_geodesics_around,
    geometry.hessian_agrees_with_differences_of_log,
    geometry.sums_of_logs_agree_with_log,
    geometry.hessian_is_symmetric_and_one_along_the_geodesic,
    geometry.frame_coordinates_are_those_of_an_orthonormal_frame,
    volume.envelope_is_above_the_density_and_concave,
    numbers.coordinates_and_point_are_inverse,
    numbers.leading_axes_broadcast,
    numbers.single_precision_stays_single,
)
#: Properties of NumPy arrays, intervals and public facts.
OF_FLOATS: tuple[Property, ...] = (
    geometry.transport_is_parallel,
    geometry.coordinates_at_a_point_survive_its_last_digits,
    geometry.frame_is_orthonormal,
    geometry.triangles_lie_between_those_of_the_curvature_bounds,
    volume.volume_density_is_the_determinant_of_the_exponential,
    volume.no_volume_beyond_the_cut_locus,
    volume.volume_lies_where_geodesics_are_shortest,
    volume.distances_are_the_same_everywhere_however_far,
    volume.laplace_rate_limit_is_the_growth_of_the_envelope,
    numbers.rounded_coordinates_are_still_points,
    numbers.intervals_agree_with_floats_and_are_tiny,
    numbers.wider_intervals_hold_narrower_ones,
    numbers.volume_of_intervals,
    numbers.spec_names_the_space,
)
PROPERTIES = (*OF_ARRAYS, *OF_FLOATS)
#: Properties of spaces that are a chart and nothing else.
OF_CHARTS: tuple[Property, ...] = (
    geometry.exp_and_log_are_inverse,
    geometry.distance_is_the_length_of_log_and_symmetric,
    geometry.triangle_inequality,
    geometry.frame_at_a_point_is_orthonormal,
    geometry.chart_has_the_lengths_of_logs,
    geometry.coordinates_at_a_point_survive_its_last_digits,
    geometry.chart_is_total_on_its_own_values,
    numbers.spec_names_the_space,
)


def check_space(
    space: Space, *, properties: tuple[Property, ...] = PROPERTIES, xp: Any = np
) -> None:
    """Check that a space keeps what the rest of geomdp relies on.

    Isometries, geodesics, transport, frames, curvature and volume, the public chart, the kinds of
    numbers. A space that passes is not proved right: its ``log_rounding`` and curvature bounds are
    claims that need a proof, and :func:`check_door` looks for records that escape them.

    Parameters
    ----------
    space
        A space that is registered, so that its ``spec`` leads back to it.
    properties
        Some of :data:`PROPERTIES`; by default those that concern the space, which are fewer if it
        is a chart alone.
    xp
        Library of the arrays where properties are of arrays: NumPy, or a module that follows the
        array API.

    Raises
    ------
    AssertionError
        With every property that fails, and its worst case.

    Examples
    --------
    >>> import geomdp as dp
    >>> check_space(dp.Sphere(2))
    >>> class Crooked(dp.Sphere):
    ...     def log(self, p, q):
    ...         return 1.1 * super().log(p, q)
    >>> check_space(Crooked(2), properties=(geometry.triangle_inequality,))
    >>> check_space(Crooked(2), properties=(geometry.exp_and_log_are_inverse,))
    Traceback (most recent call last):
    AssertionError: sphere:2 breaks 1 of 1 properties:
    - exp and log are inverse: dist(exp(p, log(p, q)), q) is ...
    """
    if space.chart_only and properties is PROPERTIES:
        properties = OF_CHARTS
    arrays, floats = Samples(space, xp), Samples(space)
    outcomes = (_failure(c, arrays if c in OF_ARRAYS else floats) for c in properties)
    failed = [f"- {said}" for said in outcomes if said]
    if failed:
        count = f"{len(failed)} of {len(properties)} properties"
        raise AssertionError("\n".join([f"{space.spec} breaks {count}:", *failed]))


def _failure(check: Property, given: Samples) -> str:
    """Say which property fails, and how; nothing where it holds."""
    name = check.__name__.replace("_", " ")
    try:
        check(given)
    except AssertionError as error:
        return f"{name}: {error}"
    except Exception as error:  # a method that raises breaks the property too
        return f"{name}: {type(error).__name__}: {error}"
    return ""
