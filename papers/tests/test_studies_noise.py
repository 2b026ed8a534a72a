"""Draws around many points in one batch: each is as far from its point as it would be alone."""

import numpy as np
import pytest

import geomdp as dp
from geomdp_papers.mechanisms.ambient import to_ambient
from geomdp_papers.studies.noise import noised
from geomdp_papers.studies.settings import SETTINGS

COUNT = 50


@pytest.mark.parametrize("mechanism", ["laplace", "ambient-laplace"])
@pytest.mark.parametrize("space", SETTINGS)
def test_noise_is_carried_over_by_isometries(space, mechanism):
    ball = SETTINGS[space].ball
    made = dp.plan(dp.FrechetMean(ball), n=30, budget=dp.Pure(1), mechanism=mechanism)
    points = SETTINGS[space].records(COUNT, np.random.default_rng(1))
    drawn = noised(made, points, np.random.default_rng(2))
    seed = int(np.random.default_rng(2).integers(2**31))
    at_center = made.simulate(ball.center, COUNT, seed)
    if mechanism == "laplace":
        lengths = ball.space.dist(ball.center, at_center)
        np.testing.assert_allclose(ball.space.dist(points, drawn), lengths, rtol=1e-6)
    else:
        moves = to_ambient(ball.space, at_center) - to_ambient(ball.space, ball.center)
        found = to_ambient(ball.space, drawn) - to_ambient(ball.space, points)
        np.testing.assert_allclose(found, moves, atol=1e-12)
    assert len(np.unique(drawn.reshape(COUNT, -1), axis=0)) == COUNT
