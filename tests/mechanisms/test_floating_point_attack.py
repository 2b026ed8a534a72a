"""The low-order bits of a release tell nothing; those of a textbook sampler tell everything.

Two neighbouring data sets have their means at the pole and about a sensitivity away from it in the
direction of the first axis. A float near 0 carries finer bits than a float near the sensitivity,
and a textbook sampler keeps them: the first coordinate of ``cos(t) p + sin(t) v`` is a multiple of
2^-59 whenever ``cos(t) p`` is at least 2^-6 there. One release with finer bits proves that the mean
was at the pole, an event of infinite privacy loss.
"""

import numpy as np
import pytest
from mechanisms_audit import epsilon_bounds

import geomdp as dp
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.laplace_law import LaplaceLaw
from geomdp.noise.rejection import draw_rounded

N, RADIUS = 50, np.pi / 8
FINEST = 2.0**-59
DRAWS = 1500


def data_sets():
    """24 antipodal pairs along the second axis; one pair along the first, or both at one end."""

    def at(x, y):
        return [np.sin(RADIUS) * x, np.sin(RADIUS) * y, np.cos(RADIUS)]

    pairs = [at(0, 1), at(0, -1)] * (N // 2 - 1)
    return np.array([*pairs, at(1, 0), at(-1, 0)]), np.array([*pairs, at(1, 0), at(1, 0)])


@pytest.fixture(scope="module")
def plan():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], RADIUS)
    return dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1), mechanism="laplace")


def textbook_draws(plan, records, seed, size=DRAWS):
    """Right law, right scale, right mean; plain floats."""
    footpoint = plan.calibration.estimate(plan.statistic.encode(records))
    rng = np.random.default_rng(seed)
    t = rng.gamma(2.0, plan.scale, size=4 * size)
    # Gamma proposals, accepted with sin(t) / t, give the radius; projected normals the direction.
    t = t[(t < np.pi) & (rng.uniform(size=t.size) < np.sin(t) / t)][:size, None]
    g = rng.normal(size=(size, 3))
    v = g - (g @ footpoint)[:, None] * footpoint
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    return np.cos(t) * footpoint + np.sin(t) * v


def published_draws(plan, records, seed, size=DRAWS):
    """The path of a release, with bits that repeat."""
    encoded = plan.statistic.encode(records)
    return plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed, exact=True), size)


def has_finer_bits(points):
    """The attack: is the first coordinate off the coarse grid?"""
    scaled = points[:, 0] / FINEST
    return scaled != np.rint(scaled)


@pytest.fixture(scope="module")
def published(plan):
    return [published_draws(plan, records, seed) for seed, records in enumerate(data_sets())]


def attack(samples):
    counts = [int(np.sum(has_finer_bits(points))) for points in samples]
    return counts, epsilon_bounds(*counts, DRAWS)


def test_attack_breaks_the_textbook_sampler(plan):
    samples = [textbook_draws(plan, records, seed) for seed, records in enumerate(data_sets())]
    (hits, others), (lower, _) = attack(samples)
    assert hits > 0.05 * DRAWS
    assert others == 0
    assert lower > plan.guarantee.budget.epsilon


def test_attack_fails_against_a_release(plan, published):
    (hits, others), (lower, _) = attack(published)
    assert min(hits, others) > 0
    assert lower < plan.guarantee.budget.epsilon


@pytest.mark.parametrize("bit", [0, 1, 4])
def test_low_bits_of_a_release_are_fair(plan, published, bit):
    """On the public grid, low-order bits are as good as coins under either data set."""
    for points in published:
        # The point is the normalised grid point, so its coordinates are near the grid's.
        integers = np.rint(points[:, 0] / 2.0**plan.calibration.grid_exponent).astype(np.int64)
        ones = int(np.sum((integers >> bit) & 1))
        assert abs(ones - DRAWS / 2) < 5 * np.sqrt(DRAWS) / 2


def test_release_is_the_normalised_grid_point(plan):
    """Nothing but public integers reaches the value: no bit of the mean survives rounding."""
    records = data_sets()[1]
    space, exponent = plan.statistic.space, plan.calibration.grid_exponent
    footpoint = plan.calibration.estimate(plan.statistic.encode(records))
    law = LaplaceLaw(space, footpoint, plan.scale)
    integers = draw_rounded(law, space.coordinates, exponent, SeededEntropy(3, exact=True))
    point = space.point(integers.astype(float) * 2.0**exponent)
    assert np.array_equal(point, published_draws(plan, records, 3, size=1)[0])
    assert np.max(np.abs(integers.astype(float))) < 2.0**53


def test_release_and_attack_use_the_same_path(plan, monkeypatch):
    monkeypatch.setattr("geomdp.release.SystemEntropy", lambda: SeededEntropy(3, exact=True))
    records = data_sets()[0]
    assert np.array_equal(plan.release(records).value, published_draws(plan, records, 3, size=1)[0])
