"""The public ball of descriptors: it holds them all, and serves plans and releases."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.images import covariance_descriptors, descriptor_ball
from geomdp.statistics import TangentMean


@pytest.mark.parametrize("bound", ["sharp", "paper"])
@pytest.mark.parametrize("channels", [1, 3])
def test_every_descriptor_lies_inside(bound, channels):
    ball = descriptor_ball(channels, (12, 9), bound=bound)
    rng = np.random.default_rng(0)
    shape = (40, 12, 9) if channels == 1 else (40, 12, 9, 3)
    noisy = rng.integers(0, 256, shape, dtype=np.uint8)
    faint = (noisy > 250).astype(np.uint8)
    faint[:, 0, 0] = 1  # no image is constant
    for images in (noisy, faint):
        found = TangentMean(ball).encode(covariance_descriptors(images))
        outside = ball.space.dist(ball.center, covariance_descriptors(images)) > ball.radius
        assert not np.any(outside)
        assert np.all(np.linalg.norm(found, axis=1) <= ball.radius)


def test_the_sharp_ball_halves_the_sensitivity():
    n = 10_000
    sharp, paper = (
        dp.plan(
            dp.FrechetMean(descriptor_ball(1, (28, 28), bound=bound)),
            n=n,
            budget=dp.Approximate(0.5, 1e-5),
            mechanism="tangent-gaussian",
        ).sensitivity.value
        for bound in ("sharp", "paper")
    )
    assert sharp == pytest.approx(2 * 22.0102 / n, rel=1e-5)
    assert paper == pytest.approx(2 * 41.4465 / n, rel=1e-5)


@pytest.mark.parametrize("budget", [dp.Pure(epsilon=0.5), dp.Approximate(0.5, 1e-5)], ids=repr)
def test_class_means_are_released(budget):
    images = np.random.default_rng(1).integers(0, 256, (300, 10, 10), dtype=np.uint8)
    ball = descriptor_ball(1, (10, 10))
    made = dp.plan(dp.FrechetMean(ball), n=300, budget=budget)
    descriptors = covariance_descriptors(images)
    value = made.release(descriptors).value
    assert value.shape == (9, 9)
    errors = [
        float(np.linalg.norm(TangentMean(ball).encode(descriptors).mean(axis=0) - noisy))
        for noisy in TangentMean(ball).coordinates(made.simulate(descriptors, size=30))
    ]
    assert np.median(errors) < made.error_quantile(0.95)


def test_bad_arguments():
    with pytest.raises(GeomdpError, match="eta"):
        descriptor_ball(1, (28, 28), eta=0.0)
    with pytest.raises(GeomdpError, match="channel"):
        descriptor_ball(2, (28, 28))
    with pytest.raises(GeomdpError, match="bound"):
        descriptor_ball(1, (28, 28), bound="loose")
