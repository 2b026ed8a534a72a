"""No neighbours move the computed mean further than its sensitivity; some come close."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, Matern
from geomdp.errors import GeomdpError
from geomdp.testing import search_neighbours
from geomdp_papers.point_mean import PointMean

PI = np.pi


SEARCHES = [
    (dp.Sphere(2), PI / 8, 3, 0.9),
    (dp.Sphere(2), 0.98 * PI / 3, 8, 0.7),
    (dp.Sphere(5), PI / 8, 8, 0.9),
    (dp.Sphere(5), 0.98 * PI / 4, 3, 0.8),
    (dp.SPD(2), 1.5, 8, 0.85),
    (dp.SPD(3), 1.5, 3, 0.85),
]


@pytest.mark.parametrize(("space", "radius", "n", "reached"), SEARCHES, ids=str)
def test_search_never_exceeds_the_sensitivity(space, radius, n, reached):
    v = np.full(space.dim, 0.4 / np.sqrt(space.dim))
    center = space.canonical(space.exp(space.origin(v), space.from_frame(v)))
    ball = dp.Ball(space, center, radius)
    assert reached < search_neighbours(dp.FrechetMean(ball), n, steps=15).share <= 1


@pytest.mark.parametrize("n", [101, 2001])
def test_antipodal_records_come_within_one_percent_on_the_sphere(n):
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], PI / 8)
    worst = search_neighbours(dp.FrechetMean(ball), n, steps=0)
    assert 0.99 < worst.share <= 1
    # The bound for flat spaces would be exceeded: the search has the power to notice.
    assert worst.moved > 2 * ball.radius / n


def test_geodesic_records_attain_the_bound_on_matrices():
    ball = dp.Ball(dp.SPD(3), np.diag([1.0, 2.0, 3.0]), 2.0)
    assert 1 - 1e-4 < search_neighbours(dp.FrechetMean(ball), 10, steps=0).share <= 1


def test_circle_is_flat_inside_a_ball():
    ball = dp.Ball(dp.Sphere(1), [1.0, 0.0], 1.5)
    worst = search_neighbours(dp.FrechetMean(ball), 7, steps=0)
    assert worst.moved == pytest.approx(2 * 1.5 / 7, rel=1e-9)
    assert 1 - 1e-4 < worst.share <= 1


@pytest.mark.parametrize(
    "statistic",
    [
        dp.TangentMean(dp.Ball(dp.SPD(2), [[2.0, 1.0], [1.0, 3.0]], 1.0)),
        PointMean(np.arange(12.0).reshape(6, 2), 0.5),
        FunctionMean(np.sin(np.linspace(0, 6, 20)), 1.0, Matern(0.3), 0.01),
        dp.Moments(dp.Ball(dp.SPD(2), [[2.0, 1.0], [1.0, 3.0]], 1.0)),
        dp.Classes(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5), ("a", "b")),
    ],
    ids=lambda statistic: statistic.tag,
)
def test_linear_statistics_attain_their_sensitivity(statistic):
    assert search_neighbours(statistic, 4, steps=5).share == pytest.approx(1, abs=1e-8)


def test_covariates_are_searched_too():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    asked = dp.Regression(ball, {"age": (20, 90)})
    assert 0.7 < search_neighbours(asked, 4, steps=5).share <= 1


class Halved(dp.FrechetMean):
    def sensitivity(self, n, bound="sharp"):
        stated = super().sensitivity(n, bound)
        return replace(stated, value=stated.value / 2)


def test_a_sensitivity_that_is_too_small_is_found():
    ball = dp.Ball(dp.Hyperbolic(2), [0, 0, 1], 1.0)
    with pytest.raises(AssertionError, match=r"n = 3: one record moves the answer by 0\.\d+"):
        search_neighbours(Halved(ball), 3, steps=0)


def test_the_pair_differs_in_one_record_and_moves_as_stated():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.7)
    worst = search_neighbours(dp.FrechetMean(ball), 4, steps=3)
    assert np.sum(np.any(worst.one != worst.other, axis=1)) == 1
    means = [dp.frechet_mean(ball.space, data).point for data in (worst.one, worst.other)]
    assert float(ball.space.dist(*means)) == pytest.approx(worst.moved, rel=1e-4)


def test_what_cannot_be_searched_is_refused():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.7)
    for statistic, n in ((dp.Summary(dp.Sphere(2), 0.1), 5), (dp.FrechetMean(ball), 1)):
        with pytest.raises(GeomdpError, match="at least two records"):
            search_neighbours(statistic, n)
    radius = dp.plan(dp.PrivateBall(ball), n=1000, budget=dp.Pure(1)).rule.first.statistic
    with pytest.raises(GeomdpError, match="cover-radius lacks"):
        search_neighbours(radius, 5)


@pytest.mark.parametrize("n", [4, 10, 50])
def test_circle_of_the_first_paper(n):
    """Reimherr et al. (2021), Example 1: spread over the circle, the mean is at one record's mercy.

    All records but one are evenly spaced; the last doubles one of them, and the mean jumps there.
    So the mean moves by nearly pi however many records there are, and a ball must be small enough.
    """
    space = dp.Sphere(1)
    angles = 2 * PI * np.arange(1, n) / (n - 1)

    def on_circle(a):
        return np.stack([np.cos(a), np.sin(a)], axis=-1)

    grid = on_circle(np.linspace(0, 2 * PI, 20 * (n - 1), endpoint=False))
    means = []
    for doubled in (0, (n - 1) // 2):
        records = on_circle(np.append(angles, angles[doubled]))
        energy = [np.mean(space.dist(x, records) ** 2) for x in grid]
        mean = grid[int(np.argmin(energy))]
        assert space.dist(mean, on_circle(angles[doubled])) < 1e-9
        assert dp.frechet_mean(space, records, start=mean).gradient_norm < 1e-12
        means.append(mean)
    moved = float(space.dist(*means))
    assert moved > PI * (1 - 1.01 / (n - 1))
    # No ball of the theory holds such records, so no plan can be made for them.
    with pytest.raises(ValueError, match="stay below"):
        dp.Ball(space, [1.0, 0.0], PI / 2)
    assert moved > dp.FrechetMean(dp.Ball(space, [1.0, 0.0], 1.57)).sensitivity(n, "sharp").value


# --- hostile records -----------------------------------------------------------------------------


def in_frame(ball, v):
    """Records with tangent coordinates ``v`` at the centre, clipped."""
    return ball.clip(ball.space.canonical(ball.space.frame_exp(ball.center, v)))


def hostile(ball):
    """Records where rounding, clipping or a log may go wrong, as they leave the door."""
    space = ball.space
    axis, other = np.eye(space.dim)[0], np.eye(space.dim)[-1]
    ends = [axis, -axis, other, axis + 1e-9 * other, -axis + 1e-16 * other]
    v = ball.radius * np.array([*ends, 1e-13 * axis, (1 - 1e-12) * axis])
    # Twice as far out, or as far as the door is sure to bring in along the same geodesic.
    far = min(2.0, 0.9 * space.injectivity_radius / ball.radius)
    return np.concatenate([in_frame(ball, v), in_frame(ball, far * v[:3]), ball.center[None]])


HOSTILE = [
    dp.Ball(dp.Sphere(2), [0.6, 0.0, 0.8], PI / 8),
    dp.Ball(dp.Sphere(2), [0, 0, 1], 0.9999 * PI / 3),
    dp.Ball(dp.Sphere(6), np.eye(7)[2], 0.9999 * PI / 4),
    dp.Ball(dp.Sphere(1), [0, 1], 0.9999 * PI / 2),
    dp.Ball(dp.SPD(2), [[2.0, 1.0], [1.0, 3.0]], 6.0),
    dp.Ball(dp.SPD(3), np.diag([1e-3, 1.0, 1e3]), 2.0),
    dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 4.0),
    dp.Ball(dp.Euclidean(2), [1e6, 0.0], 1e-3),
    dp.Ball(dp.Hyperbolic(2), [np.sinh(3), 0, np.cosh(3)], 5.0),
    dp.Ball(dp.PlanarShapes(3), [0, 1, 1j], 0.9999 * PI / 6),
    dp.Ball(dp.PlanarShapes(5), [0, 1, 2, 1j, 3j], 0.9999 * PI / 6),
]


@pytest.mark.parametrize("n", [1, 2, 3, 8])
@pytest.mark.parametrize("ball", HOSTILE, ids=lambda b: f"{b.space.spec}-{b.radius:.3g}")
def test_no_hostile_record_moves_the_computed_mean_too_far(ball, n):
    """All neighbours among data sets of hostile records, as the statistic computes their means."""
    statistic = dp.FrechetMean(ball)
    space, tolerance = ball.space, statistic.tolerance(n)
    bound = statistic.sensitivity(n, "sharp").value
    # The distance is computed too, from two computed points.
    room = 4 * space.log_rounding(ball.center, ball.radius)
    records = hostile(ball)
    rng = np.random.default_rng(n)
    moved = []
    for antipodal in (True, False):
        rows = np.resize([0, 1], n - 1) if antipodal else rng.integers(len(records), size=n - 1)
        means = np.array(
            [
                statistic.estimate(np.concatenate([records[rows], record[None]]), tolerance)
                for record in records
            ]
        )
        assert np.max(space.dist(ball.center, means)) <= ball.radius
        moved.append(max(float(np.max(space.dist(mean, means))) for mean in means))
    assert 0.4 * bound < max(moved) <= bound + room
