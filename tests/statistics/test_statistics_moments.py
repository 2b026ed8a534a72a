"""Moments: the integer loss of neighbours never exceeds that of the mean alone."""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.lattice import Lattice, lattice_vectors
from geomdp.releases.verification import verify
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.moments import MeanAndDispersion, Moments


def asked(kind, dim, radius=0.7):
    return kind(dp.Ball(dp.Euclidean(dim), np.zeros(dim), radius))


def squared_loss(statistic, v, w):
    """Exact squared distance of two records' coordinates, in units of the noise's shape."""
    lattice = Lattice.within(statistic.radius, statistic.record_bits)
    step = Fraction(2) ** lattice.exponent
    sums = [statistic.integer_sums(x[None]) for x in (v, w)]
    total = Fraction(0)
    for a, b, degree, factor, shape in zip(
        *sums, statistic.degrees, statistic.shrinkage, statistic.noise_profile, strict=True
    ):
        unit = step ** int(degree) * Fraction(float(factor)) / Fraction(float(shape))
        total += ((int(a) - int(b)) * unit) ** 2
    return total


def worst_ratio(statistic, tries=300, seed=0):
    """Largest squared loss found, over the declared squared diameter: random, then uphill."""
    rng = np.random.default_rng(seed)
    lattice = Lattice.within(statistic.radius, statistic.record_bits)
    allowed = statistic.diameter**2

    def admitted(x):
        return lattice_vectors(x * lattice.step, lattice)[0]

    top, dim = float(np.sqrt(lattice.largest_square)), statistic.dim
    worst = Fraction(0)
    for _ in range(tries):
        direction = rng.standard_normal((2, dim))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        lengths = top * (1 - rng.random((2, 1)) ** 3)
        pair = direction * lengths
        if rng.random() < 0.4:  # nearly opposite
            pair[1] = -pair[0] * rng.uniform(0.5, 1) + 0.02 * top * rng.standard_normal(dim)
        best = squared_loss(statistic, admitted(pair[:1]), admitted(pair[1:]))
        for _ in range(25):
            moved = pair + 0.1 * top * rng.standard_normal((2, dim))
            loss = squared_loss(statistic, admitted(moved[:1]), admitted(moved[1:]))
            if loss > best:
                best, pair = loss, moved
        worst = max(worst, best)
    end = np.zeros(dim)
    end[0] = top
    worst = max(worst, squared_loss(statistic, admitted(end[None]), admitted(-end[None])))
    return float(worst / allowed), worst <= allowed


@pytest.mark.parametrize("kind", [Moments, MeanAndDispersion])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_neighbours_never_exceed_the_declared_diameter(kind, dim):
    ratio, within = worst_ratio(asked(kind, dim), tries=50)
    assert within
    assert ratio > 0.999999


def test_every_pair_of_a_coarse_lattice_stays_within(monkeypatch):
    monkeypatch.setattr(Moments, "record_bits", 3)
    statistic = asked(Moments, 2, radius=1.0)
    lattice = Lattice.within(1.0, 3)
    side = int(np.sqrt(lattice.largest_square))
    grid = np.array([[i, j] for i in range(-side, side + 1) for j in range(-side, side + 1)])
    grid = grid[np.sum(grid**2, axis=1) <= lattice.largest_square]
    losses = [squared_loss(statistic, v, w) for v in grid for w in grid]
    assert max(losses) == 4


def test_a_covariance_noise_of_r_times_the_means_is_caught():
    statistic = asked(Moments, 2)
    thin = np.r_[statistic.noise_profile[:2], statistic.noise_profile[2:] / np.sqrt(2)]
    statistic.__dict__["noise_profile"] = thin
    ratio, within = worst_ratio(statistic, tries=100)
    assert not within
    assert np.sqrt(ratio) == pytest.approx(1.061, abs=0.005)


def test_separate_rounding_of_the_blocks_is_caught(monkeypatch):
    kept = Moments.integer_sums

    def separate(self, vectors):
        coarser = vectors - vectors % 2  # each block rounds for itself
        mean, square = kept(self, vectors), kept(self, coarser)
        return np.r_[mean[: self.dim], square[self.dim :]]

    monkeypatch.setattr(Moments, "integer_sums", separate)
    statistic = asked(Moments, 2)
    lattice = Lattice.within(statistic.radius, statistic.record_bits)
    end = np.array([int(np.sqrt(lattice.largest_square)) // 2 * 2 - 1, 0])
    first = 4 * (Fraction(2) ** lattice.exponent * int(end[0])) ** 2
    assert squared_loss(statistic, end, -end) > first


@pytest.mark.parametrize("kind", [Moments, MeanAndDispersion])
def test_sums_are_exact_and_do_not_depend_on_chunks(kind):
    rng = np.random.default_rng(0)
    statistic = asked(kind, 3, radius=0.999)
    x = 2 * rng.standard_normal((40_000, 3))
    x[:39_000] = [0.999, 0.0, 0.0]  # squares that 64 bits do not hold all together
    encoded = statistic.encode(x)
    whole = exact_mean(statistic, Encoded.of(encoded), np.asarray)
    parts = exact_mean(
        statistic, Encoded.of(encoded[:7], encoded[7:30_000], encoded[30_000:]), np.asarray
    )
    assert whole == parts
    lattice = Lattice.within(0.999, statistic.record_bits)
    vectors = lattice_vectors(encoded, lattice).astype(object)
    step = Fraction(2) ** lattice.exponent
    squares = np.sum(vectors * vectors)
    if kind is MeanAndDispersion:
        assert whole[-1] == Fraction(float(statistic.shrinkage[-1])) * step**2 * squares / 40_000
    else:
        assert whole[3] + whole[6] + whole[8] == step**2 * squares / 40_000
    floats = statistic.decode(np.array([float(m) for m in whole]))
    assert floats == pytest.approx(statistic.estimate(encoded), abs=1e-6)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.ZCDP("0.5"), dp.Approximate(1, 1e-6)], ids=repr)
def test_moments_cost_what_the_mean_does(budget):
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    both, mean = (
        dp.plan(s(ball), n=500, budget=budget, mechanism="tangent-gaussian")
        for s in (Moments, dp.TangentMean)
    )
    assert both.scale == mean.scale
    assert both.cost == mean.cost
    assert dp.plan(Moments(ball), n=500, budget=budget).mechanism == "tangent-gaussian"
    assert both.expected_error == pytest.approx(mean.expected_error, rel=0.05)


def test_the_noise_of_the_covariance_is_forecast():
    made = dp.plan(asked(Moments, 3), n=200, budget=dp.GDP(1))
    value = np.zeros((1, 3))
    draws = made.simulate(value, size=400) - made.statistic.estimate(made.statistic.encode(value))
    size = float(np.sqrt(np.mean(np.sum(draws[:, 1:] ** 2, axis=(1, 2)))))
    stated = float(made.forecast.note.split("off by about ")[1].split(" ")[0])
    assert stated == pytest.approx(size, rel=0.1)


def test_pure_budgets_release_mean_and_dispersion():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    made = dp.plan(Moments(ball), n=500, budget=dp.Pure(1))
    mean = dp.plan(dp.TangentMean(ball), n=500, budget=dp.Pure(1))
    assert made.statistic.tag == "dispersion"
    assert made.scale == pytest.approx(mean.scale, rel=1e-9)
    assert 1.1 < made.expected_error / mean.expected_error < 1.3  # one dimension more


@pytest.mark.usefixtures("with_reports")
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
def test_releases_are_verified_and_read_again(budget, tmp_path):
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    made = dp.plan(Moments(ball), n=400, budget=budget)
    made.save(tmp_path / "plan.json")
    points = dp.datasets.polar_sphere(400, radius=0.4, seed=1)
    release = dp.load_plan(tmp_path / "plan.json").release(points, folder=tmp_path / "out")
    assert verify(tmp_path / "out").problems == ()
    again = dp.load_release(tmp_path / "out")
    assert dp.moments_of(again).dispersion == dp.moments_of(release).dispersion
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What follows from it" in page
    assert "Private mean and" in page
