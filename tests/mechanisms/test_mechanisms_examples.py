"""Small examples of what stands inside the room, by hand."""

from fractions import Fraction

import numpy as np

from geomdp.intervals import interval
from geomdp.mechanisms.ball_acceptance import (
    boundary_acceptance,
    is_hopeless,
    most_acceptance,
    tries_needed,
)
from geomdp.mechanisms.ball_constant import (
    RestrictedLaw,
    fixed_point_factor,
    least_factor,
    restricted_scale,
)
from geomdp.mechanisms.dominating_losses import share_above
from geomdp.mechanisms.exponential import largest_steps
from geomdp.mechanisms.forecast import (
    MOST_SIMULATED,
    chi_forecast,
    curved_draws,
    fewer_draws,
    forecast_of_sample,
    forecast_of_scales,
    leading,
    radial_forecast,
)
from geomdp.mechanisms.grids import grid_floats, lattice_exponents
from geomdp.mechanisms.one_sided import (
    even_nodes,
    generalized_cotangent,
    generalized_sine,
    half_angle,
    mass_above,
    mass_below,
    share_of_directions,
)
from geomdp.mechanisms.radial_cells import direction_cells, down, radial_cells, up
from geomdp.mechanisms.riemannian_certificate import Pair, certified_mu, narrow_mu
from geomdp.mechanisms.riemannian_mu import (
    TwoLaws,
    constant_floor,
    projective_mu,
    projective_width_for,
    width_for,
)
from geomdp.mechanisms.wrapped import stretch
from geomdp.spaces import Ball


def test_boundary_acceptance():
    import geomdp as dp
    from geomdp.noise.radial_law import BallLaplaceLaw

    ball = Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    law = BallLaplaceLaw(ball, ball.boundary_point(), 0.05)
    assert 0.2 < boundary_acceptance(law, 0.01) < most_acceptance(law) < 0.5


def test_is_hopeless():
    import geomdp as dp
    from geomdp.noise.radial_law import BallLaplaceLaw

    ball = Ball(dp.Sphere(1000), np.eye(1001)[0], 0.3)
    assert (
        [is_hopeless(BallLaplaceLaw(ball, ball.boundary_point(), s), 0.01) for s in (1e-5, 1e-3)]
    ) == [False, True]


def test_tries_needed():
    assert (tries_needed(0.5, Fraction(1), Fraction(1, 1000))) == 12.0


def test_restrictedlaw():
    law = RestrictedLaw(2, 0.0, 1.0, 0.1)
    assert (round(law.direction_above(1.0), 2), law.direction_above(0.0)) == (0.68, 0.0)


def test_least_factor():
    import geomdp as dp

    ball = Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8)
    assert least_factor(ball, 0.02) <= fixed_point_factor(ball, 0.02)
    assert 1.6 < fixed_point_factor(ball, 0.02) < 1.7


def test_restricted_scale():
    assert restricted_scale(2.0, 0.5) > 1.0


def test_share_above():
    x = np.array([0.1, 0.5])
    assert bool(np.all(share_above(x, np.array([0.5])) >= (1 - np.exp(-x)) / (1 - np.exp(-0.5))))


def test_largest_steps():
    assert (largest_steps(Fraction(1, 10), 250, 1e-3)) == 25


def test_chi_forecast():
    forecast = chi_forecast(2, 1.0)
    assert (round(forecast.expected, 6), round(forecast.quantile(0.95), 3)) == (1.253314, 2.448)


def test_curved_draws():
    assert (curved_draws(3), curved_draws(465)) == (4000, 281)


def test_fewer_draws():
    assert ([fewer_draws(1000, dim) for dim in (100, 5000, 20_000, 100_000)]) == [1000, 419, 43, 8]


def test_forecast_of_scales():
    law = forecast_of_sample(np.array([1.0, 2.0, 3.0]))
    mixed = forecast_of_scales(law, np.array([1.0, 2.0]), np.array([0.5, 0.5]))
    assert (mixed.expected, mixed.quantile(0.99)) == (3.0, 6.0)


def test_leading():
    kept, rest = leading(np.full(3 + 2 * MOST_SIMULATED, 0.1), 3)
    assert (kept.size - 3 == MOST_SIMULATED, round(rest / 0.1 / MOST_SIMULATED**0.5, 6)) == (
        True,
        1.0,
    )


def test_radial_forecast():
    import geomdp as dp

    assert (round(radial_forecast(dp.Euclidean(3), 0.1).expected, 6)) == 0.3
    assert (round(radial_forecast(dp.Euclidean(3), 1e9, reach=1.0).expected, 6)) == 0.75


def test_grid_floats():
    assert repr(grid_floats(np.array([3, 2**2000], dtype=object), -2).tolist()) == "[0.75, inf]"


def test_lattice_exponents():
    assert (lattice_exponents(np.array([1.0, 0.3])).tolist()) == [-30, -32]


def test_even_nodes():
    assert (even_nodes(lambda t: -t, 0.0, 1e9, 3).round(1).tolist()) == [0.0, 5.0, 20.0, 45.0]


def test_generalized_cotangent():
    assert (float(generalized_cotangent(0.0, interval(2)))) == 0.5


def test_generalized_sine():
    assert (float(generalized_sine(0.0, interval(2)))) == 2.0


def test_half_angle():
    assert (round(float(half_angle(0.0, interval(1), interval(1), interval(2).sqrt())), 9)) == 0.5


def test_mass_above():
    assert (float(mass_above(interval(0), interval(0), interval(2)))) == 2.0


def test_mass_below():
    assert (float(mass_below(interval(0), interval(0), interval(2)))) == 2.0


def test_share_of_directions():
    assert (round(float(share_of_directions(3, interval(0.25))), 9)) == 0.25


def test_directioncells_beyond():
    cells = direction_cells(3)
    rest = cells.beyond(256)
    assert (rest.share.size, round(float(rest.share[0]), 3)) == (256, 0.503)


def test_direction_cells():
    cells = direction_cells(3)
    assert bool(1 <= np.sum(cells.share) < 1 + 1e-12)


def test_down():
    assert down(interval(1) / 3) < 1 / 3


def test_up():
    assert up(interval(1) / 3) > 1 / 3


def test_certified_mu():
    assert (round(certified_mu(Pair(2, False, 0.1, 1.0), 1.2, 0.117), 3)) == 0.117


def test_narrow_mu():
    assert (
        round(narrow_mu(Pair(2, True, 1e-4, 1e-4)), 7),
        round(narrow_mu(Pair(2, False, 1, 0.6)), 3),
    ) == (1.0, 2.083)


def test_twolaws():
    laws = TwoLaws(2, sphere=False, shift=0.1, sigma=1.0)
    assert (round(laws.certified_mu(), 3)) == 0.117


def test_constant_floor():
    assert (round(float(constant_floor(interval(0.1))), 6)) == 0.99


def test_projective_mu():
    assert repr((round(projective_mu(1e-3, 1e-3), 5), projective_mu(0.1, 2.0))) == "(1.0, inf)"


def test_projective_width_for():
    sigma, certified = projective_width_for(0.01, 1.0)
    assert (round(sigma, 4), certified <= 1.0) == (0.01, True)


def test_width_for():
    sigma, certified = width_for(2, True, 0.1215, 0.9975)
    assert (round(sigma, 3), certified <= 0.9975) == (0.122, True)


def test_stretch():
    import geomdp as dp

    assert (stretch(Ball(dp.SPD(2), np.eye(2), 1.0))) == 1.0
    assert (round(stretch(Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8)), 5)) == 1.02617


def test_radial_cells():
    cells = radial_cells(2, True, 0.1, 0.1, 1.0, 200)
    assert 1 < np.sum(cells.mass) / float(cells.total) < 1.001
