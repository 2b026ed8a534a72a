"""What a law on a ball accepts at its boundary: bounded above, and simulated only near a limit."""

from dataclasses import dataclass

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import ball_acceptance, kng
from geomdp.mechanisms.ball_acceptance import boundary_acceptance, is_hopeless, most_acceptance
from geomdp.mechanisms.ball_constant import covers
from geomdp.mechanisms.forecast import DRAWN_NUMBERS, LEAST_DRAWS, fewer_draws
from geomdp.mechanisms.laplace_ball import LaplaceBall
from geomdp.noise.directions import uniforms_for_normals, unit_vectors
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.kng_envelope import envelope_around
from geomdp.noise.kng_law import KngLaw
from geomdp.noise.radial_law import BallLaplaceLaw
from geomdp.noise.rejection import acceptance_rate

DRAWS = 3000


def ball_of(space, radius):
    return dp.Ball(space, np.asarray(space.origin(np.zeros(1))), radius)


BALLS = [
    ball_of(dp.Sphere(2), 0.3),
    ball_of(dp.Sphere(10), 1.0),
    ball_of(dp.PlanarShapes(6), 0.3),
    ball_of(dp.Hyperbolic(4), 1.5),
    ball_of(dp.SPD(3), 1.0),
    ball_of(dp.Product(dp.Sphere(2), dp.Euclidean(3)), 0.5),
]


def laplace_at_boundary(ball, scale):
    return BallLaplaceLaw(ball, ball.boundary_point(), scale)


def kng_at_boundary(ball, scale):
    point = ball.boundary_point()
    envelope = envelope_around(ball, point, point[None], 2 * ball.radius, 1e-6)
    return KngLaw(ball, point[None], point, envelope, scale, -40)


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.spec)
@pytest.mark.parametrize("times", [0.1, 1.0])
def test_the_bound_is_above_what_is_accepted(ball, times):
    law = laplace_at_boundary(ball, times * ball.radius / ball.space.dim)
    simulated = acceptance_rate(law, SeededEntropy(0), DRAWS)
    error = 5 * np.sqrt(simulated / DRAWS)
    assert simulated - error <= most_acceptance(law) <= 1


@dataclass(frozen=True)
class AtOneDistance:
    """Uniform directions at one distance from the boundary: no hat between bound and truth."""

    ball: dp.Ball
    distance: float

    def distances(self, u):
        return np.full(u.shape, self.distance)

    def share_inside(self):
        space = self.ball.space
        u = SeededEntropy(0).uniforms((20_000, uniforms_for_normals(space.dim)))
        way = self.distance * unit_vectors(u, space.dim)
        points = space.frame_exp(self.ball.boundary_point(), way)
        return np.mean(space.dist(self.ball.center, points) <= self.ball.radius)


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.spec)
def test_the_angle_of_the_largest_curvature_holds_all_directions_that_stay(ball):
    law = AtOneDistance(ball, ball.radius)
    inside, most = law.share_inside(), most_acceptance(law)
    assert inside <= most + 3 * np.sqrt(inside / 20_000)
    if covers(ball.space):  # where it is the angle
        assert most == pytest.approx(inside, rel=0.1)


def test_the_bound_is_sharp_where_hats_are():
    """On a flat space the directions are exact; a hat accepts nearly all of them."""
    law = kng_at_boundary(ball_of(dp.Euclidean(5), 1.0), 0.1)
    simulated = acceptance_rate(law, SeededEntropy(0), DRAWS)
    assert simulated < most_acceptance(law) < 4 * simulated


def test_wide_balls_and_bent_proposals_have_no_bound():
    wide = dp.Ball(dp.Sphere(3), [0.0, 0, 0, 1], 1.6, wide=True)
    assert most_acceptance(laplace_at_boundary(wide, 0.1)) == 1.0
    ball = ball_of(dp.Sphere(2), 0.7)
    records = np.stack([ball.center, ball.boundary_point()])
    envelope = envelope_around(ball, ball.center, records, 0.05, 0.5)
    assert len(envelope.shape) > 1  # proposals are longer in some directions than in others
    assert most_acceptance(KngLaw(ball, records, ball.center, envelope, 0.01, -40)) == 1.0


def test_only_what_is_near_the_limit_is_simulated(monkeypatch):
    ball = ball_of(dp.Sphere(300), 0.2)
    near, far = laplace_at_boundary(ball, 1e-5), laplace_at_boundary(ball, 1e-3)
    assert not is_hopeless(near, 0.01)
    assert is_hopeless(far, 0.01)
    assert acceptance_rate(far, SeededEntropy(0), 200) == 0
    monkeypatch.setattr(ball_acceptance, "acceptance_rate", lambda *_: 0.125)
    assert boundary_acceptance(near, 0.01) == 0.125
    assert boundary_acceptance(far, 0.01) == 0.0


@pytest.fixture
def numbers(monkeypatch):
    """Count the random numbers that forecasts draw."""
    drawn = []
    take = SeededEntropy.take

    def counted(self, count):
        drawn.append(count // 8)
        return take(self, count)

    monkeypatch.setattr(SeededEntropy, "take", counted)
    return drawn


@pytest.mark.parametrize(
    ("space", "radius"),
    [(dp.Sphere(20_000), 0.5), (dp.PlanarShapes(10_000), 0.2), (dp.SPD(64, "log-euclidean"), 1.0)],
    ids=str,
)
def test_plans_in_high_dimension_draw_few_numbers(numbers, space, radius):
    """They drew six million where nothing of it could win; time and memory follow."""
    made = dp.plan(dp.FrechetMean(ball_of(space, radius)), n=1000, budget=dp.Pure(1))
    assert made.mechanism == "laplace"
    assert sum(numbers) < 3 << 19


def test_few_numbers_are_enough_in_high_dimension(numbers):
    """Noise so small that the sphere is flat: the length of a Gaussian vector is known."""
    tangent = dp.TangentMean(ball_of(dp.Sphere(20_000), 0.5))
    made = dp.plan(tangent, n=10**5, budget=dp.GDP(30))
    assert made.expected_error == pytest.approx(made.scale * np.sqrt(20_000), rel=5e-3)
    assert made.error_quantile(0.95) == pytest.approx(made.expected_error, rel=2e-2)
    assert sum(numbers) < 1 << 20


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.spec)
@pytest.mark.parametrize("n", [30, 1000])
def test_the_least_error_of_a_restricted_law_is_below_its_forecast(ball, n):
    mechanism = LaplaceBall()
    request = dp.plan(
        dp.FrechetMean(ball), n=n, budget=dp.Pure(1), mechanism="laplace"
    ).calibration.request
    least = mechanism.least_error(request)
    # An outline has no larger scale, and needs no proof.
    forecast = mechanism.forecast(mechanism.outline(request) or mechanism.calibrate(request))
    error = 5 * np.std(forecast.radii) / np.sqrt(forecast.radii.size)
    assert 0 < least <= forecast.expected + error
    assert least > forecast.expected / 3


def test_no_plan_draws_more_the_higher_the_dimension():
    """Draws fall with the square of a very high dimension: so does what they take, to the least."""
    taken = [fewer_draws(1000, 2**power) * 2**power for power in range(24)]
    assert max(taken[:18]) <= DRAWN_NUMBERS
    assert taken[14] < taken[13] / 1.9
    assert fewer_draws(1000, 10**6) == LEAST_DRAWS


def test_a_fixed_number_of_tries_that_is_too_large_needs_no_proof(monkeypatch):
    """The share of directions that could be accepted is bounded before the least is proved."""
    monkeypatch.setattr(kng, "least_acceptance", lambda *_: pytest.fail("proved"))
    statistic = dp.FrechetMean(ball_of(dp.SPD(30), 1.0))
    with pytest.raises(MechanismRefusedError, match=r"always have to make .* tries or more"):
        dp.plan(statistic, n=1000, budget=dp.Approximate(1, 1e-6), mechanism="kng")


def test_a_ball_on_which_floats_tell_no_distances_is_refused_in_a_sentence():
    statistic = dp.FrechetMean(ball_of(dp.SPD(3), 12.0))
    with pytest.raises(MechanismRefusedError, match=r"^No mechanism can serve this request\."):
        dp.plan(statistic, n=3000, budget=dp.Pure(1))


def test_auto_simulates_no_restricted_law_that_cannot_win(monkeypatch):
    def simulated(self, calibration):
        raise AssertionError("simulated")

    monkeypatch.setattr(LaplaceBall, "forecast", simulated)
    made = dp.plan(dp.FrechetMean(ball_of(dp.SPD(3), 1.0)), n=1000, budget=dp.Pure(1))
    (other,) = (other for other in made.runners_up if other.name == "laplace-ball")
    assert other.expected_error > made.expected_error
    assert str(other).endswith("expected, or more, if it can serve")


def test_auto_still_finds_a_restricted_law_that_wins():
    """Noise far wider than the ball: what stays within it errs less."""
    made = dp.plan(dp.FrechetMean(ball_of(dp.Sphere(2), 0.1)), n=3, budget=dp.Pure(0.1))
    assert made.mechanism == "laplace-ball"
