"""Quotients and sensitivities are rounded up: what a mechanism may not leave out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geomdp as dp
from geomdp import intervals
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.intervals import float_above
from geomdp.mechanisms.base import Request
from geomdp.mechanisms.linear_laplace import LinearLaplace
from geomdp.mechanisms.wrapped import FRAME_ROUNDING, stretch, wrapped_sensitivity
from geomdp_papers.point_mean import PointMean

positive = st.floats(1e-100, 1e100)


@given(positive, st.fractions(Fraction(1, 10**6), 10**6))
def test_the_quotient_is_the_smallest_float_not_below(numerator, denominator):
    exact = Fraction(numerator) / denominator
    value = float_above(Fraction(numerator) / denominator)
    assert Fraction(value) >= exact > Fraction(float(np.nextafter(value, -np.inf)))


def test_quotients_that_the_nearest_float_would_round_down():
    # Half of all quotients round down; some of these must, so the test above cannot be idle.
    cases = [(float(k), Fraction(3)) for k in range(1, 40)]
    down = [(a, b) for a, b in cases if Fraction(a / float(b)) < Fraction(a) / b]
    assert len(down) > 5
    for a, b in down:
        assert Fraction(float_above(Fraction(a) / b)) > Fraction(a) / b


def request(statistic, n):
    return Request(statistic, n, dp.Pure(1))


CURVED = [
    dp.Ball(dp.Sphere(2), [0, 0, 1], 0.4),
    dp.Ball(dp.Hyperbolic(2), [0, 0, 1], 1.0),
    dp.Ball(dp.SPD(2), np.eye(2), 1.0),
]


@pytest.mark.parametrize("ball", CURVED, ids=lambda ball: ball.space.spec)
@pytest.mark.parametrize("n", [10, 10**15])
def test_coordinates_carry_their_rounding(ball, n):
    """At huge n the ideal sensitivity vanishes and only what floats add is left."""
    statistic = dp.FrechetMean(ball)
    inner = statistic.sensitivity(n, "sharp").value
    rounding = 2 * FRAME_ROUNDING * ball.space.log_rounding(ball.center, ball.radius)
    total = wrapped_sensitivity("wrapped-laplace", request(statistic, n)).value
    exact = Fraction(stretch(ball)) * Fraction(inner) + Fraction(rounding)
    assert Fraction(total) >= exact
    assert rounding > 0
    assert total - stretch(ball) * inner >= 0.999 * rounding


def test_flat_coordinates_carry_their_rounding():
    ball = dp.Ball(dp.Euclidean(2), [0.0, 0.0], 3.0)
    n = 10**15
    value = wrapped_sensitivity("wrapped-laplace", request(dp.FrechetMean(ball), n)).value
    assert Fraction(value) >= Fraction(6, n) + 2 * Fraction(3) * Fraction(1, 2**52)


@pytest.mark.parametrize("radius", [1e-6, 0.1, np.pi / 8, 1.0, 1.04])
def test_the_stretch_is_rounded_up(radius):
    import flint

    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], radius)
    with intervals.precision(128):
        angle = flint.arb(radius)
        assert angle / angle.sin() <= flint.arb(stretch(ball)) <= (1 + 3e-12) * angle / angle.sin()


STACKS = {
    "curve": FunctionMean(np.zeros(12), 0.3, PoweredExponential(1.0), 0.01, terms=6),
    "points": PointMean(np.zeros((4, 2)), 0.5),
    "regression": dp.Regression(CURVED[0], covariates={"age": (20, 90)}),
}


@pytest.mark.parametrize("name", STACKS)
def test_means_in_floats_are_no_further_apart_than_the_sensitivity_says(name):
    """The law is drawn about the nearest floats of exact means: those of neighbours may part."""
    statistic, n, rng = STACKS[name], 10**15, np.random.default_rng(0)
    made = LinearLaplace().calibrate(request(statistic, n))
    ideal = statistic.sensitivity(n, "sharp").value
    size = statistic.noise_profile.size
    worst = Fraction(0)
    for _ in range(300):
        ways = rng.standard_normal((2, size))
        ways /= 1.0000001 * np.linalg.norm(ways, axis=1, keepdims=True)
        away = [Fraction(x) * Fraction(statistic.radius) for x in ways[0].tolist()]
        step = [Fraction(x) * Fraction(ideal) for x in ways[1].tolist()]
        ends = [
            (Fraction(float(a)), Fraction(float(a + s))) for a, s in zip(away, step, strict=True)
        ]
        worst = max(worst, sum(((b - a) ** 2 for a, b in ends), Fraction(0)))
    assert worst <= Fraction(made.sensitivity.value) ** 2
    assert worst > Fraction(ideal) ** 2  # so that the room for rounding is needed
    assert Fraction(made.scale) * made.request.epsilon >= Fraction(made.sensitivity.value)
