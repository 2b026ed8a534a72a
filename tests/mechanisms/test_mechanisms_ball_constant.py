"""The constant c of the restricted Laplace law: a proved upper bound, and a sharp one."""

from itertools import pairwise

import flint
import numpy as np
import pytest
from scipy.special import beta, betainc

import geomdp as dp
from geomdp.intervals import from_floats
from geomdp.mechanisms.ball_constant import RestrictedLaw, fixed_point_factor, restricted_scale
from geomdp.mechanisms.one_sided import even_nodes, mass_above, mass_below

LAWS = [
    RestrictedLaw(2, 0.0, 1.0, 0.05),
    RestrictedLaw(2, 1.0, np.pi / 8, 0.03),
    RestrictedLaw(2, 1.0, 1.0, 0.6),
    RestrictedLaw(3, -1.0, 1.5, 0.2),
    RestrictedLaw(7, 2.5, 0.4, 0.02),
    RestrictedLaw(2, -0.5, 3.0, 4.0),
    RestrictedLaw(20, 0.0, 1.0, 1e-6),
]


def name_of(law):
    return f"{law.dim}-{law.curvature}-{law.scale:.3g}"


def plain_mean_cosine(law, offset):
    """Mean cosine straight from the law of cosines, by Gauss quadrature in floats."""
    k, d, r = law.curvature, law.dim, law.radius
    s = np.sqrt(abs(k)) or 1.0
    sine, cosine = (np.sin, np.cos) if k > 0 else (np.sinh, np.cosh)

    def smallest_cosine(t):
        if k == 0:
            value = (offset**2 + t**2 - r**2) / (2 * offset * t)
        else:
            value = cosine(s * r) - cosine(s * offset) * cosine(s * t)
            value *= np.sign(k) / (sine(s * offset) * sine(s * t))
        return np.clip(value, -1.0, 1.0)

    def weight(t):
        growth = t if k == 0 else sine(s * t) / s
        return np.exp((d - 1) * np.log(growth / law.scale) - t / law.scale)

    half = (d - 1) / 2

    def share(t):
        c = smallest_cosine(t)
        part = betainc(half, 0.5, 1 - c * c) / 2
        return weight(t) * np.where(c >= 0, part, 1 - part)

    def moment(t):
        return weight(t) * (1 - smallest_cosine(t) ** 2) ** half / ((d - 1) * beta(half, 0.5))

    mode = (d - 1) * law.scale
    end = min(r + offset, (60 + 4 * d) * law.scale)
    inner = sorted({min(x, end) for x in (r - offset, mode / 2, mode, 2 * mode, 5 * mode)})
    ends = [0.0, *inner, end]

    x, weights = np.polynomial.legendre.leggauss(400)

    def total(f):
        pieces = [(a, b) for a, b in pairwise(ends) if b > a]
        return sum(np.sum(f(a + (b - a) * (x + 1) / 2) * weights) * (b - a) for a, b in pieces)

    return total(moment) / total(share)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_the_bound_is_above_an_independent_quadrature_and_close(law):
    depth = min(law.radius, law.dim * law.scale)
    for offset in (law.radius, law.radius - 0.3 * depth, law.radius - 0.9 * depth):
        if offset <= 0:
            continue
        plain = plain_mean_cosine(law, offset)
        assert plain * (1 - 1e-7) <= law.direction_above(offset) <= 1.05 * plain + 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_a_limit_is_proved_just_above_the_largest_length_and_never_below(law):
    depth = min(law.radius, 4 * law.dim * law.scale)
    offsets = law.radius - depth * np.linspace(0, 0.999, 12)
    largest = max(plain_mean_cosine(law, offset) for offset in offsets)
    assert not law.proves(largest * (1 - 1e-6))
    assert law.proves(min(0.9999, 1.05 * largest + 0.01))


@pytest.mark.slow
@pytest.mark.parametrize("law", [law for law in LAWS if law.scale > 1e-3], ids=name_of)
def test_the_length_cannot_grow_faster_inwards_than_its_bound(law):
    step = 1e-4 * min(law.radius, law.scale)
    for offset in np.linspace(0.1, 0.95, 4) * law.radius:
        near, far = (plain_mean_cosine(law, offset + x) for x in (0.0, step))
        fastest = (1 - far) * (far + 1 / law.dim) / law.scale
        if law.curvature > 0:
            root = np.sqrt(law.curvature)
            fastest += max(0.0, -root / np.tan(2 * root * law.radius))
        assert (near - far) / step <= fastest * (1 + 1e-3)
    # The stretch that follows is no longer than this bound allows.
    moved = law._step(0.2, 0.3)
    ratio = (0.3 + 1 / law.dim) / (0.2 + 1 / law.dim) * 0.8 / 0.7
    assert 0 < moved <= law.scale / (1 + 1 / law.dim) * np.log(ratio) * (1 + 1e-12)


def test_a_length_that_the_sum_cannot_bound_gives_the_factor_two(monkeypatch):
    ball = dp.Ball(dp.Sphere(3), [0, 0, 0, 1], 0.5)
    monkeypatch.setattr(RestrictedLaw, "direction_above", lambda *_: 1.0)
    assert fixed_point_factor(ball, 0.0123) == 2.0
    monkeypatch.setattr(RestrictedLaw, "direction_above", lambda *_: 0.3)
    monkeypatch.setattr(RestrictedLaw, "proves", lambda *_: False)
    assert fixed_point_factor(ball, 0.0124) == 2.0


def test_the_factor_is_proved_at_the_scale_that_is_used():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8)
    plan = dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1), mechanism="laplace-ball")
    factor = plan.calibration.facts["factor"]
    assert RestrictedLaw(2, 1.0, ball.radius, plan.scale).proves(factor - 1)
    assert plan.scale == restricted_scale(factor, plan.sensitivity.value)


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e6])
def test_cells_bound_an_integral_from_both_sides(spread):
    def log(t):
        return 3 * (t / spread).log() - t / spread

    nodes = even_nodes(lambda t: float(log(flint.arb(t))), 1e-9 * spread, 1e9 * spread, 200)
    low = high = flint.arb(0)
    for a, b in pairwise(from_floats(nodes)):
        middle = (a + b) / 2
        low += mass_below(log(a), log(b), b - a)
        high += mass_above(log(middle), 3 / middle - 1 / flint.arb(spread), b - a)
    assert 0.995 * 6 * spread < float(low) < 6 * spread < float(high) < 1.005 * 6 * spread
