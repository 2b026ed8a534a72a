"""The low-order bits of a release tell nothing; those of a textbook sampler tell everything.

Two neighbouring data sets have their means at the pole and about a sensitivity away from it. A
float near 0 carries finer bits than a float near the sensitivity, and a textbook sampler keeps
them: one release with finer bits proves that the mean was at the pole.
"""

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit import Settings
from geomdp.audit.floats import float_findings, lowest_bits, replayed
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.laplace import Laplace
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.noise.rejection import draw_rounded
from geomdp.plans import SinglePlan
from geomdp.releases.verification.values import on_grid
from geomdp_papers.studies.finite_precision import textbook

N, RADIUS = 50, np.pi / 8
DRAWS = 400


class Textbook(Laplace):
    """Right law, right scale, right mean; plain floats."""

    def draw(self, calibration, encoded, entropy, size=1):
        footpoint, rng = calibration.estimate(encoded), np.random.default_rng()
        return textbook(dp.Sphere(2), footpoint, calibration.scale, size, rng)


@pytest.fixture(scope="module")
def plan():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], RADIUS)
    return dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1), mechanism="laplace")


def test_attack_breaks_the_textbook_sampler(plan):
    broken = SinglePlan(Textbook(), plan.calibration, plan.forecast)
    grid, bits, source = float_findings(Suspects(broken, Settings(exact=8 * DRAWS)))
    assert [f.verdict for f in (grid, bits, source)] == ["fail"] * 3
    assert bits.numbers["bound"] > 1.5
    assert grid.numbers["off"] > 0.99 * 16 * DRAWS


def test_attack_fails_against_a_release(plan):
    findings = float_findings(Suspects(plan, Settings(exact=DRAWS // 4, confidence=1 - 1e-6)))
    assert [f.verdict for f in findings] == ["pass"] * 3


@pytest.fixture(scope="module")
def published(plan):
    encoded = np.repeat(plan.statistic.ball.center[None], N, axis=0)
    return plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(0, exact=True), DRAWS)


@pytest.mark.parametrize("bit", [0, 1, 4])
def test_low_bits_of_a_release_are_fair(plan, published, bit):
    """On the public grid, low-order bits are as good as coins."""
    # The point is the normalised grid point, so its coordinates are near the grid's.
    integers = np.rint(published[:, 0] / 2.0**plan.calibration.grid_exponent).astype(np.int64)
    ones = int(np.sum((integers >> bit) & 1))
    assert abs(ones - DRAWS / 2) < 5 * np.sqrt(DRAWS) / 2


def test_release_is_the_normalised_grid_point(plan):
    """Nothing but public integers reaches the value: no bit of the mean survives rounding."""
    records = np.repeat(plan.statistic.ball.boundary_point()[None], N, axis=0)
    space, exponent = plan.statistic.space, plan.calibration.grid_exponent
    law = LaplaceLaw(space, plan.calibration.estimate(plan.statistic.encode(records)), plan.scale)
    bytes_of = np.random.default_rng(3).bytes

    class Replay(SeededEntropy):
        def take(self, count):
            return bytes_of(count)

    integers = draw_rounded(law, space.coordinates, exponent, Replay(0, exact=True))
    point = space.point(integers.astype(float) * 2.0**exponent)
    with replayed(3):
        assert np.array_equal(point, plan.release(records).value)
    assert np.max(np.abs(integers.astype(float))) < 2.0**53
    assert on_grid(plan, point)
    assert not on_grid(plan, space.canonical(point + np.array([0, 2.0 ** (exponent - 2), 0])))


@pytest.mark.parametrize(
    ("statistic", "mechanism", "budget"),
    [
        (dp.FrechetMean(dp.Ball(dp.SPD(2), np.eye(2), 1.0)), "laplace", dp.Pure(1)),
        (dp.FrechetMean(dp.Ball(dp.SPD(2), np.eye(2), 1.0)), "wrapped-laplace", dp.Pure(1)),
        (dp.FrechetMean(dp.Ball(dp.Hyperbolic(2), [0, 0, 1.0], 1.0)), "laplace-ball", dp.Pure(1)),
        (dp.TangentMean(dp.Ball(dp.Sphere(2), [0, 0, 1.0], 0.4)), "tangent-gaussian", dp.GDP(1)),
        (dp.FrechetMean(dp.Ball(dp.PlanarShapes(4), [0, 1, 1j, 2], 0.2)), "laplace", dp.Pure(1)),
    ],
    ids=str,
)
def test_exact_draws_lie_on_the_grid_and_float_draws_do_not(statistic, mechanism, budget):
    made = dp.plan(statistic, n=20, budget=budget, mechanism=mechanism)
    encoded = statistic.encode(np.repeat(statistic.ball.center[None], 20, axis=0))
    for exact in (True, False):
        values = made._mechanism.draw(made.calibration, encoded, SeededEntropy(1, exact=exact), 12)
        assert [on_grid(made, value) for value in values] == [exact] * 12


def test_lowest_bits_of_small_and_large_numbers():
    x = np.array([2.0**-59, 3 * 2.0**-59, 2.0**40, -0.5, 5e-324])
    assert lowest_bits(x).tolist() == [-59, -59, 40, -1, -1074]
