"""The hat lies above the density everywhere, with proof, and close to it."""

from dataclasses import replace

import flint
import numpy as np
import pytest
from noise_laws import LAWS, law_id

import geomdp as dp
from geomdp import intervals
from geomdp.noise import radial_law
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.hat import fit_hat
from geomdp.noise.radial_law import LaplaceLaw, RiemannianGaussianLaw
from geomdp.noise.rejection import BrokenEnvelopeError, draw_floats, draw_rounded
from geomdp.spaces import SPD, Euclidean, Sphere


def law_at_origin(space, scale):
    return LaplaceLaw(space, space.origin(np.zeros(1)), scale)


def log_density(space, scale, t):
    return space.log_volume_envelope(t) - t / scale


def log_hat(hat, t):
    """The hat as its class describes it, for floats."""
    return (
        hat.top + hat.rise * np.minimum(t - hat.left, 0) - hat.fall * np.maximum(t - hat.right, 0)
    )


def grid(hat, size=4_001):
    """Radii over the whole support, and more of them where the hat bends."""
    end = min(hat.end, hat.right + 40 / hat.fall)
    near = np.concatenate([np.linspace(0.5, 1.5, size) * p for p in (hat.left, hat.right) if p > 0])
    t = np.unique(np.concatenate([np.linspace(0, end, size), near]))
    return t[(t > 0) & (t < end)]


@pytest.mark.parametrize(("space", "scale"), LAWS, ids=law_id)
def test_hat_dominates_on_a_dense_grid(space, scale):
    hat = law_at_origin(space, scale).hat
    t = grid(hat)
    # The float error of the log densities, which are as large as dim * log(t).
    slack = 1e-13 * (1 + np.abs(hat.top) + space.dim * np.abs(np.log(t)) + t / scale)
    assert np.all(log_hat(hat, t) >= log_density(space, scale, t) - slack)


@pytest.mark.parametrize(("space", "scale"), LAWS[::3], ids=law_id)
def test_hat_dominates_with_proof(space, scale):
    hat = law_at_origin(space, scale).hat
    t = grid(hat, 21)
    with intervals.precision(256):
        exact = intervals.from_floats(t)
        gap = (
            flint.arb(hat.top)
            + hat.rise * np.minimum(exact - hat.left, flint.arb(0))
            - hat.fall * np.maximum(exact - hat.right, flint.arb(0))
            - log_density(space, scale, exact)
        )
    assert all(value > 0 for value in gap)


@pytest.mark.parametrize(("space", "scale"), LAWS[::3], ids=law_id)
def test_hat_is_close(space, scale):
    """A hat far above its density would only be slow, but then something is wrong."""
    hat = law_at_origin(space, scale).hat
    t = grid(hat)
    assert np.min(log_hat(hat, t) - log_density(space, scale, t)) < 0.01


@pytest.mark.parametrize(("space", "scale"), [(Sphere(2), 0.1), (SPD(3), 0.1)], ids=law_id)
def test_a_hat_that_is_too_low_is_noticed(space, scale):
    law = law_at_origin(space, scale)
    law.__dict__["hat"] = replace(law.hat, top=law.hat.top - 0.1)
    with pytest.raises(BrokenEnvelopeError):
        draw_floats(law, SeededEntropy(0), 1000)
    # A release never fails after a draw, whatever is wrong.
    entropy = SeededEntropy(0, exact=True)
    assert len([draw_rounded(law, space.coordinates, -30, entropy) for _ in range(50)]) == 50


@pytest.mark.parametrize(("space", "scale"), LAWS[::5], ids=law_id)
def test_proposals_follow_the_hat(space, scale):
    """The quantile function of the hat inverts its distribution function."""
    hat = law_at_origin(space, scale).hat
    u = np.linspace(0.0005, 0.9995, 1000)
    t, at = hat.propose(u)
    assert np.allclose(at, log_hat(hat, t), atol=1e-9 * (1 + abs(hat.top)))
    edges = np.concatenate([[0.0], t])
    points = edges[1:, None] * np.linspace(0, 1, 201) + edges[:-1, None] * np.linspace(1, 0, 201)
    mass = np.trapezoid(np.exp(log_hat(hat, points) - hat.top), points, axis=1)
    total = np.sum(mass) / u[-1]
    assert np.allclose(np.cumsum(mass) / total, u, atol=2e-4)


@pytest.mark.parametrize("dim", [2, 3, 5, 10, 30, 80, 196])
@pytest.mark.parametrize("make", [Euclidean, Sphere], ids=["euclidean", "sphere"])
def test_acceptance_rate_of_the_hat(make, dim):
    space = make(dim)
    scale = 1.0 / dim
    hat = law_at_origin(space, scale).hat
    end = min(hat.end, hat.right + 60 / hat.fall)
    t = np.linspace(0, end, 60_001)[1:-1]
    under = np.trapezoid(np.exp(log_density(space, scale, t) - hat.top), t)
    above = np.trapezoid(np.exp(log_hat(hat, t) - hat.top), t)
    assert 0.88 <= under / above <= 0.99


@pytest.fixture
def fits(monkeypatch):
    """Scales that a hat was fitted to, from here on."""
    found = []

    def count(log_density, guess, end):
        found.append(guess)
        return fit_hat(log_density, guess, end)

    radial_law._hat.cache_clear()
    monkeypatch.setattr(radial_law, "fit_hat", count)
    return found


@pytest.mark.parametrize(
    "mechanism", ["laplace", "wrapped-laplace", "laplace-ball"], ids=lambda name: name
)
def test_a_plan_fits_its_hat_once(fits, mechanism):
    statistic = dp.FrechetMean(dp.Ball(SPD(2), np.eye(2), 0.5))
    plan = dp.plan(statistic, n=50, budget=dp.Pure(20), mechanism=mechanism)
    records = np.tile(np.eye(2), (50, 1, 1))
    for factor in (1.0, 1.2, 1.4):
        plan.release(factor * records)
    assert len(fits) == 1


def test_another_scale_reach_law_or_space_has_a_hat_of_its_own(fits):
    at = np.array([0.0, 0.0, 1.0])
    laws = [
        LaplaceLaw(Sphere(2), at, 0.1),
        LaplaceLaw(Sphere(2), at, 0.2),
        LaplaceLaw(Sphere(2), at, 0.1, reach=0.3),
        LaplaceLaw(Sphere(2, curvature=0.5), at, 0.1),
        RiemannianGaussianLaw(Sphere(2), at, 0.1),
    ]
    assert len({law.hat for law in laws}) == len(fits) == len(laws)
    assert all(replace(law, footpoint=-at).hat is law.hat for law in laws)


def test_a_space_without_a_hash_is_served(fits):
    class Unhashable(Sphere):
        __hash__ = None

    at = np.array([0.0, 0.0, 1.0])
    assert LaplaceLaw(Unhashable(2), at, 0.1).hat == LaplaceLaw(Sphere(2), at, 0.1).hat
    assert len(fits) == 2


def test_hat_over_a_density_that_ends_before_its_mode():
    hat = fit_hat(lambda t: 3.0 * t, guess=0.1, end=2.0)
    t = np.linspace(0.001, 2.0, 500)
    assert np.all(log_hat(hat, t) >= 3.0 * t)
    assert hat.right == 2.0
