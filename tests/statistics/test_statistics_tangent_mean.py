"""Tangent means: exact sensitivity, coordinates, and a bias that no data set exceeds."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere, largest_radius
from geomdp.statistics import TangentMean, statistic_from_json
from geomdp.statistics.tangent_mean import is_flat

SPACES = [
    Sphere(1),
    Sphere(2),
    Sphere(3, curvature=4.0),
    SPD(2),
    SPD(3),
    SPD(3, metric="log-euclidean"),
    Euclidean(4),
    Hyperbolic(2),
    PlanarShapes(4),
]


def ball_of(space, share=0.5):
    v = np.full(space.dim, 0.3 / np.sqrt(space.dim))
    center = space.canonical(space.exp(space.origin(np.zeros(1)), space.from_frame(v)))
    return dp.Ball(space, center, share * min(largest_radius(space), 2.0))


@pytest.fixture(params=SPACES, ids=lambda space: space.spec)
def mean(request):
    return TangentMean(ball_of(request.param))


def random_records(mean, n, seed, size=1.0):
    v = np.random.default_rng(seed).normal(size=(n, mean.space.dim))
    v *= size * mean.radius / np.linalg.norm(v, axis=1, keepdims=True)
    return mean.decode(v)


def test_the_sensitivity_is_2r_over_n_and_attained(mean):
    n = 7
    assert mean.sensitivity(n).value == pytest.approx(2 * mean.radius / n, rel=1e-15)
    assert mean.sensitivity(n).value >= 2 * mean.radius / n
    common = random_records(mean, n - 1, 0)
    axis = np.eye(mean.space.dim)[:1] * mean.radius
    first, second = (
        mean.mean_coordinates(mean.encode(np.concatenate([common, mean.decode(s * axis)])))
        for s in (1, -1)
    )
    assert np.linalg.norm(first - second) == pytest.approx(2 * mean.radius / n, rel=1e-9)


def test_encoding_clips_and_treats_one_record_at_a_time(mean):
    reach = min(1.6, 0.9 * mean.space.injectivity_radius / mean.radius)
    records = random_records(mean, 20, 1, reach)
    encoded = mean.encode(records)
    assert np.all(np.linalg.norm(encoded, axis=1) <= mean.radius * (1 + 1e-15))
    alone = np.concatenate([mean.encode(records[i : i + 1]) for i in range(20)])
    np.testing.assert_allclose(encoded, alone, atol=1e-13)


def test_inside_the_ball_decoding_returns_the_record(mean):
    records = random_records(mean, 5, 2, 0.7)
    assert np.all(mean.space.dist(mean.decode(mean.encode(records)), records) < 1e-12)


def test_on_flat_spaces_it_is_the_frechet_mean():
    for space in (Euclidean(3), SPD(2, metric="log-euclidean"), SPD(1), Sphere(1), Hyperbolic(1)):
        mean = TangentMean(ball_of(space))
        records = random_records(mean, 9, 3, 0.8)
        expected = dp.frechet_mean(space, records, tol=1e-13).point
        found = mean.estimate(mean.encode(records))
        assert space.dist(expected, found) < 1e-11
        assert mean.worst_case_bias() == 0.0
        assert is_flat(space)


def bias(mean, records):
    tangent = mean.estimate(mean.encode(records))
    true = dp.frechet_mean(mean.space, records, tol=1e-12, start=mean.ball.center).point
    return float(mean.space.dist(tangent, true))


CURVED = [Sphere(2), SPD(2), Hyperbolic(2), PlanarShapes(4)]


@pytest.mark.parametrize("space", CURVED, ids=lambda space: space.spec)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_no_data_set_exceeds_the_worst_case_bias(space, share):
    mean = TangentMean(ball_of(space, share))
    rng = np.random.default_rng(4)
    found = 0.0
    for _ in range(40):
        n = rng.integers(2, 6)
        v = rng.normal(size=(n, space.dim)) * [1.0, *rng.uniform(0, 1, space.dim - 1)]
        v *= mean.radius / np.linalg.norm(v, axis=1, keepdims=True) * 0.999
        found = max(found, bias(mean, mean.decode(v)))
    assert found <= mean.worst_case_bias()
    # The bound is of the right order: within a factor of 60 of what a random search finds.
    assert found > mean.worst_case_bias() / 60


def test_it_says_that_it_is_not_the_frechet_mean():
    mean = TangentMean(ball_of(SPD(3)))
    assert "not the Fréchet mean" in mean.describe()
    assert f"{mean.worst_case_bias():.3g}" in mean.bias_note
    assert TangentMean(ball_of(Euclidean(2))).bias_note == ""


def test_json_there_and_back(mean):
    again = statistic_from_json(mean.to_json())
    assert isinstance(again, TangentMean)
    np.testing.assert_allclose(again.ball.center, mean.ball.center, rtol=1e-14)
    assert again.ball.radius == mean.ball.radius


def test_a_frechet_mean_is_linear_on_flat_spaces_only():
    flat, curved = (dp.FrechetMean(ball_of(s)) for s in (SPD(2, metric="log-euclidean"), SPD(2)))
    assert curved.as_linear() is None
    linear, to_coordinates = flat.as_linear()
    assert to_coordinates(random_records(linear, 4, 5)).shape == (4, 3)


def test_unknown_bounds_are_refused(mean):
    with pytest.raises(GeomdpError, match="sharp"):
        mean.sensitivity(5, "loose")
