"""Every linear statistic of the package finds the coordinates of its values again."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import CircleGrid, FunctionMean, Matern
from geomdp.statistics.moments import MeanAndDispersion
from geomdp_papers.point_mean import PointMean

FORM = np.array([[0.5, 0.1], [0.1, 0.2]])
BALL = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)

STATISTICS = [
    dp.TangentMean(BALL),
    dp.TangentMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5, form=FORM)),
    dp.TangentMean(dp.Ball(dp.SPD(2), np.eye(2), 0.5)),
    dp.Moments(BALL),
    MeanAndDispersion(BALL),
    PointMean(np.ones((5, 3)), 0.5),
    FunctionMean(np.zeros((2, 16)), 1.0, Matern(0.5), 0.01, CircleGrid(16)),
]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: s.tag)
def test_coordinates_are_found_again_one_by_one_and_in_batches(statistic):
    width = statistic.noise_profile.size
    some = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 3, width))
    values = statistic.decode(some)
    assert np.allclose(statistic.to_coordinates(values), some, atol=1e-12)
    assert np.allclose(statistic.to_coordinates(values[1, 2]), some[1, 2], atol=1e-12)
