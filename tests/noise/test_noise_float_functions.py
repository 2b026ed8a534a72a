"""The functions under the Gaussian sampler: their proved error bounds, against intervals."""

import flint
import numpy as np
import pytest

from geomdp.noise import float_functions
from geomdp.noise.float_functions import ERROR, log, turn


def around(points, steps=40):
    """Floats next to given ones, on both sides."""
    out = [np.asarray(points, float)]
    for direction in (0.0, 2.0):
        at = out[0]
        for _ in range(steps):
            at = np.nextafter(at, direction)
            out.append(at)
    return np.concatenate(out)


def hard_logarithms():
    rng = np.random.default_rng(0)
    powers = 2.0 ** -np.arange(0, 65)
    near = around(np.concatenate([powers, powers * np.sqrt(0.5), 1 - powers[1:50]]))
    x = np.concatenate([near, rng.uniform(0, 1, 4000), 2.0 ** -rng.uniform(0, 64, 4000)])
    return x[(x > 0) & (x < 1)]


def hard_turns():
    rng = np.random.default_rng(1)
    x = np.concatenate([around(np.arange(17) / 16), rng.uniform(0, 1, 8000), 2.0 ** -np.arange(60)])
    return x[(x >= 0) & (x <= 1)]


def log_error():
    """Largest relative error of the logarithm."""
    x = hard_logarithms()
    with flint.ctx.workprec(128):
        pairs = zip(x.tolist(), log(x).tolist(), strict=True)
        truth = [(flint.arb(a).log(), b) for a, b in pairs]
        return max(float(abs((b - ideal) / ideal).upper()) for ideal, b in truth)


def turn_error():
    """Largest absolute error of cosine and sine."""
    x, worst = hard_turns(), 0.0
    cosine, sine = turn(x)
    with flint.ctx.workprec(128):
        for a, c, s in zip(x.tolist(), cosine.tolist(), sine.tolist(), strict=True):
            two_a = 2 * flint.arb(a)
            errors = (abs(two_a.cos_pi() - c), abs(two_a.sin_pi() - s))
            worst = max(worst, *(float(e.upper()) for e in errors))
    return worst


def test_the_proved_bounds_hold():
    assert len(hard_logarithms()) + len(hard_turns()) > 20_000
    assert log_error() <= ERROR
    assert turn_error() <= ERROR / 2


@pytest.mark.parametrize("name", ["_ATANH", "_SINE", "_COSINE"])
@pytest.mark.parametrize("place", [-2, -3, -4])
def test_a_wrong_coefficient_is_noticed(monkeypatch, name, place):
    wrong = list(getattr(float_functions, name))
    wrong[place] *= 1 + 1e-8
    monkeypatch.setattr(float_functions, name, wrong)
    assert max(log_error(), turn_error()) > ERROR


def test_the_platforms_functions_are_not_used(monkeypatch):
    x = np.array([0.3, 0.9])
    before = (log(x), *turn(x))
    for name in ("log", "sin", "cos", "log1p", "exp"):
        monkeypatch.setattr(np, name, None)
    for a, b in zip(before, (log(x), *turn(x)), strict=True):
        assert np.array_equal(a, b)
