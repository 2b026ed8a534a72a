"""ambient-gaussian: a comparison that is private, and says how often it is no covariance."""

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.statistics import TangentMean

METRICS = ["affine", "log-euclidean"]


def statistic_of(metric, k=3, radius=1.0):
    return dp.FrechetMean(dp.Ball(dp.SPD(k, metric=metric), 2 * np.eye(k), radius))


@pytest.mark.parametrize("metric", METRICS)
def test_worst_neighbours_stay_within_the_ambient_sensitivity(metric):
    statistic, n = statistic_of(metric), 6
    made = dp.plan(statistic, n=n, budget=dp.GDP(mu=1), mechanism="ambient-gaussian")
    axis = np.zeros(6)
    axis[0] = statistic.ball.radius
    one, other = TangentMean(statistic.ball).decode(np.stack([axis, -axis]))
    data = np.repeat(one[None], n, axis=0)
    means = [
        dp.frechet_mean(statistic.space, d, tol=1e-12).point
        for d in (data, np.concatenate([data[:-1], other[None]]))
    ]
    moved = np.linalg.norm(means[0] - means[1])
    papers = 2 * 2 * (np.exp(1) - 1) / n  # 2 lambda_max (e^r - 1) / n, of the arithmetic mean
    assert papers < moved <= made.sensitivity.value


def test_the_share_of_indefinite_results_is_reported():
    shares = []
    for n in (3, 100_000):
        made = dp.plan(
            statistic_of("log-euclidean"), n=n, budget=dp.GDP(mu=1), mechanism="ambient-gaussian"
        )
        share = made.calibration.facts["share not positive definite at the centre"]
        assert f"{100 * share:.3g}%" in made.forecast.note
        drawn = made.simulate(2 * np.eye(3), size=2000, seed=9)
        assert np.mean(np.linalg.eigvalsh(drawn)[:, 0] <= 0) == pytest.approx(share, abs=0.05)
        shares.append(share)
    assert shares[0] > 0.5
    assert shares[1] == 0.0


def test_entries_have_the_gaussian_law_with_power():
    made = dp.plan(statistic_of("affine"), n=50, budget=dp.GDP(mu=1), mechanism="ambient-gaussian")
    drawn = made.simulate(2 * np.eye(3), size=3000)
    sizes = np.linalg.norm(drawn - 2 * np.eye(3), axis=(1, 2)) / made.scale
    assert stats.kstest(sizes, stats.chi(6).cdf).pvalue > 1e-3
    assert stats.kstest(1.05 * sizes, stats.chi(6).cdf).pvalue < 1e-3
    np.testing.assert_array_equal(drawn, np.swapaxes(drawn, 1, 2))


def test_auto_never_picks_it_and_it_can_be_released():
    statistic = statistic_of("log-euclidean")
    made = dp.plan(statistic, n=50, budget=dp.GDP(mu=1))
    assert "ambient-gaussian" not in {made.mechanism, *(o.name for o in made.runners_up)}
    made = dp.plan(statistic, n=50, budget=dp.GDP(mu=1), mechanism="ambient-gaussian")
    release = made.release(np.repeat(2 * np.eye(3)[None], 50, axis=0))
    assert release.manifest["comparison"] is True
    assert release.value.shape == (3, 3)


def test_other_spaces_are_refused():
    statistic = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3))
    with pytest.raises(MechanismRefusedError, match="positive definite"):
        dp.plan(statistic, n=10, budget=dp.GDP(mu=1), mechanism="ambient-gaussian")
