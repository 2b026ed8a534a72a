"""The mean solves its equation, on easy and on hard data, however the records are cut up."""

import sys

import numpy as np
import pytest
from pyriemann.geometry.mean import mean_riemann

import geomdp as dp
from geomdp.statistics.solving import passes, solver
from geomdp.statistics.solving.passes import Passes

#: The module; the function of the same name hides it in its package.
STATISTIC = sys.modules["geomdp.statistics.frechet"]

SPACES = [
    dp.Sphere(2),
    dp.Sphere(5, curvature=2.0),
    dp.SPD(2),
    dp.SPD(4),
    dp.SPD(3, metric="log-euclidean"),
    dp.Euclidean(3),
    dp.Hyperbolic(3),
    dp.PlanarShapes(5),
]


def scattered(space, n, seed, spread=0.4):
    rng = np.random.default_rng(seed)
    v = spread * rng.normal(size=(n, space.dim)) / np.sqrt(space.dim)
    return space.canonical(space.exp(space.origin(v), space.from_frame(v)))


def gradient_norm(space, at, points, weights=None):
    """Length of the mean log, straight from the definition."""
    weights = np.ones(len(points)) / len(points) if weights is None else weights / np.sum(weights)
    return float(space.norm(at, np.tensordot(weights, space.log(at, points), axes=1)))


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_mean_solves_its_equation(space):
    points = scattered(space, 200, 1)
    result = dp.frechet_mean(space, points)
    assert result.gradient_norm <= 1e-10
    assert gradient_norm(space, result.point, points) <= 1e-9
    assert space.contains(result.point)


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_mean_is_a_minimum(space):
    points = scattered(space, 30, 2)
    mean = dp.frechet_mean(space, points).point

    def energy(x):
        return np.mean(space.dist(x, points) ** 2)

    rng = np.random.default_rng(0)
    for v in 0.05 * rng.normal(size=(20, space.dim)):
        moved = space.move(mean, space.exp(space.origin(v), space.from_frame(v)))
        assert energy(space.canonical(moved)) > energy(mean)


@pytest.mark.parametrize("k", [2, 5, 12])
def test_mean_of_matrices_against_pyriemann(k):
    rng = np.random.default_rng(k)
    a = rng.normal(size=(50, k, 3 * k))
    matrices = a @ np.swapaxes(a, 1, 2) / (3 * k)
    ours = dp.frechet_mean(dp.SPD(k), matrices, tol=1e-12).point
    theirs = mean_riemann(matrices, tol=1e-11, maxiter=200)
    assert dp.SPD(k).dist(ours, theirs) < 1e-9


@pytest.mark.parametrize(("k", "most"), [(3, 8), (10, 6)])
def test_few_passes_are_enough_on_matrices(k, most):
    """Fewer where a pass is an eigenproblem a record than where it is a few operations."""
    rng = np.random.default_rng(k)
    a = rng.normal(size=(400, k, 4 * k))
    matrices = a @ np.swapaxes(a, 1, 2) / (4 * k)
    result = dp.frechet_mean(dp.SPD(k), matrices, start=np.eye(k))
    assert result.passes <= most
    assert result.gradient_norm <= 1e-10


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_weights_count_as_copies(space):
    points = scattered(space, 6, 3)
    weights = np.array([1.0, 2.0, 0.0, 3.0, 1.0, 1.0])
    weighted = dp.frechet_mean(space, points, weights=5 * weights).point
    copied = dp.frechet_mean(space, np.repeat(points, weights.astype(int), axis=0)).point
    assert space.dist(weighted, copied) < 1e-9
    assert space.dist(weighted, dp.frechet_mean(space, points).point) > 1e-3


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [1.0, np.nan, 1.0]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="nonnegative"):
        dp.frechet_mean(dp.Euclidean(2), np.eye(3)[:, :2], weights=weights)


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.array([0.0, 0.0, 1.0])])
def test_no_records_are_refused(points):
    with pytest.raises(ValueError, match=r"at least one record"):
        dp.frechet_mean(dp.Sphere(2), points)


@pytest.mark.parametrize("space", [dp.SPD(3), dp.Sphere(4)], ids=lambda s: s.spec)
def test_chunks_and_threads_do_not_change_the_mean(space, monkeypatch):
    points = scattered(space, 500, 4)
    whole = dp.frechet_mean(space, points).point
    for numbers, cores in ((100, 1), (100, 4), (999, 3)):
        monkeypatch.setattr(passes, "CHUNK_NUMBERS", numbers)
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert len(list(passes.slices(points))) > 1
        assert space.dist(dp.frechet_mean(space, points).point, whole) < 1e-10


def test_order_of_the_records_does_not_matter():
    space = dp.SPD(3)
    points = scattered(space, 100, 5)
    assert (
        space.dist(dp.frechet_mean(space, points).point, dp.frechet_mean(space, points[::-1]).point)
        < 1e-10
    )


# --- the statistic: tolerance met on every data set -------------------------------------------


def boundary(ball, directions):
    """Records on (in fact beyond) the boundary of the ball in the given frame directions."""
    space = ball.space
    v = np.asarray(directions, dtype=float)
    v = 1.2 * ball.radius * v / np.linalg.norm(v, axis=1, keepdims=True)
    v *= min(1.0, 0.95 * space.injectivity_radius / (1.2 * ball.radius))
    points = space.move(ball.center, space.exp(space.origin(v), space.from_frame(v)))
    return ball.clip(space.canonical(points))


def hard_data_sets(ball, n=12):
    dim = ball.space.dim
    rng = np.random.default_rng(7)
    axis = np.eye(dim)[0]
    around = rng.normal(size=(n, dim))
    yield boundary(ball, [axis, -axis] * (n // 2))
    yield boundary(ball, [axis] * n)
    yield boundary(ball, [axis] * (n - 1) + [-axis])
    yield boundary(ball, around)
    yield boundary(ball, np.abs(around) + 0.1)
    yield boundary(ball, [axis, -axis] * (n // 2) + 1e-3 * around)
    yield np.array([ball.center] * n)
    yield np.concatenate([np.array([ball.center] * (n - 1)), boundary(ball, [axis])])


BALLS = [
    dp.Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8),
    dp.Ball(dp.Sphere(2), [0, 0, 1], 0.999 * np.pi / 3),
    dp.Ball(dp.Sphere(9), np.eye(10)[3], 0.99 * np.pi / 4),
    dp.Ball(dp.Sphere(1), [1, 0], 0.999 * np.pi / 2),
    dp.Ball(dp.SPD(2), np.eye(2), 2.0),
    dp.Ball(dp.SPD(2), np.diag([1.0, 50.0]), 5.0),
    dp.Ball(dp.SPD(6), np.eye(6), 3.0),
    dp.Ball(dp.Euclidean(3), np.ones(3), 10.0),
    dp.Ball(dp.Hyperbolic(3), [0, 0, 0, 1], 4.0),
    dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.99 * np.pi / 6),
]


@pytest.mark.parametrize("ball", BALLS, ids=lambda b: f"{b.space.spec}-{b.radius:.3g}")
def test_tolerance_is_met_without_the_fallback(ball, monkeypatch):
    """Newton's method does it alone: neither of the safety nets is needed."""

    def never(*_):
        pytest.fail("the safety net was needed")

    monkeypatch.setattr(dp.FrechetMean, "_descend", never)
    monkeypatch.setattr(dp.FrechetMean, "_refine", never)
    statistic = dp.FrechetMean(ball)
    for records in hard_data_sets(ball):
        tolerance = statistic.tolerance(len(records))
        point = statistic.estimate(records, tolerance)
        assert gradient_norm(ball.space, point, records) <= tolerance
        assert ball.space.dist(ball.center, point) <= ball.radius


@pytest.mark.parametrize("ball", BALLS, ids=lambda b: f"{b.space.spec}-{b.radius:.3g}")
def test_safety_net_meets_the_tolerance_too(ball, monkeypatch):
    """With Newton's method broken, descent with its proved number of passes still arrives."""
    monkeypatch.setattr(
        STATISTIC, "solve", lambda _, *, tol, start: solver.MeanResult(start, np.inf, 1)
    )
    monkeypatch.delattr(STATISTIC, "refine_mean")
    statistic = dp.FrechetMean(ball)
    for records in list(hard_data_sets(ball))[2:4]:
        tolerance = statistic.tolerance(len(records))
        point = statistic.estimate(records, tolerance)
        assert gradient_norm(ball.space, point, records) <= tolerance


class Brittle(dp.Euclidean):
    """A plane on which long steps overflow."""

    def exp(self, p, v):
        return p + v if np.linalg.norm(v) <= 0.5 else np.nan * (p + v)


def test_a_step_into_overflow_is_shortened_not_taken():
    points = np.array([[3.0, 0.0], [3.0, 2.0]])
    result = solver.solve(Passes.over(Brittle(2), points), tol=1e-9, start=np.zeros(2))
    np.testing.assert_allclose(result.point, [3.0, 1.0], atol=1e-8)
    assert result.gradient_norm <= 1e-9


def test_records_on_a_sphere_are_not_copied_unless_they_must_be():
    space, rng = dp.Sphere(4), np.random.default_rng(0)
    x = space.canonical(np.eye(5)[0] + 0.3 * rng.normal(size=(1000, 5)))
    assert solver._require(space, x) is x
    short = x * np.where(np.arange(1000) == 500, 1 - 1e-9, 1.0)[:, None]
    found = solver._require(space, short)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-15)
    means = [dp.frechet_mean(space, given) for given in (x, short)]
    assert all(mean.gradient_norm <= 1e-10 for mean in means)
    np.testing.assert_allclose(means[0].point, means[1].point, atol=1e-10)
    short[700] *= 2
    with pytest.raises(dp.errors.InvalidRecordError, match="record 700"):
        dp.frechet_mean(space, short)


RNG = np.random.default_rng(3)
OUTLINES = np.exp(2j * np.pi * np.arange(5) / 5) + 0.1 * RNG.standard_normal((200, 5))
TURNS = dp.Rotations().canonical(
    np.r_["-1", 0.2 * RNG.standard_normal((200, 3)), np.ones((200, 1))]
)
WRITTEN = {
    "pairs": (dp.PlanarShapes(5), OUTLINES, np.stack([OUTLINES.real, OUTLINES.imag], axis=-1)),
    "matrices": (dp.Rotations(), TURNS, dp.Rotations().matrices(TURNS)),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("n", [1, 200])
def test_records_come_in_every_way_that_a_space_reads(name, n, monkeypatch):
    """Landmarks in pairs and rotations as matrices, of one piece or many."""
    space, points, written = WRITTEN[name]
    monkeypatch.setattr(passes, "CHUNK_NUMBERS", 64)
    mean = dp.frechet_mean(space, points[:n]).point
    for given in (written[:n], written[:n].tolist(), np.asfortranarray(written[:n])):
        assert space.dist(mean, dp.frechet_mean(space, given).point) < 1e-9
    weights = np.arange(1.0, n + 1)
    by_weight = dp.frechet_mean(space, points[:n], weights=weights).point
    assert space.dist(by_weight, dp.frechet_mean(space, written[:n], weights=weights).point) < 1e-9
