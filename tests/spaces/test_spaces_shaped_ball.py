"""Shaped balls: clipping in the norm of a public form, noise that follows it, and what it saves."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.spaces.forms import form_from
from geomdp.statistics.encoded import Encoded
from geomdp.verification import verify

SPREAD = np.diag([1.0, 0.1, 0.01]) ** 2


def shaped(space=None, radius=0.5, form=None):
    space = space or dp.Euclidean(3)
    form = form_from(SPREAD[: space.dim, : space.dim]) if form is None else form
    return dp.Ball(space, space.origin(np.zeros(space.dim)), radius, form=form)


@pytest.mark.parametrize("space", [dp.Euclidean(3), dp.Sphere(2), dp.SPD(2)], ids=str)
def test_records_are_clipped_in_the_norm_of_the_form(space):
    ball = shaped(space)
    rng = np.random.default_rng(0)
    logs = 0.4 * rng.standard_normal((200, space.dim))
    clipped = np.asarray(
        space.frame_log(ball.center, ball.clip(space.frame_exp(ball.center, logs)))
    )
    lengths = np.sqrt(np.einsum("ni,ij,nj->n", clipped, np.linalg.inv(ball.form), clipped))
    assert np.max(lengths) == pytest.approx(0.5, rel=1e-9)
    inside = np.einsum("ni,ij,nj->n", logs, np.linalg.inv(ball.form), logs) <= 0.249
    assert inside.any()
    assert clipped[inside] == pytest.approx(logs[inside], abs=1e-12)


def test_a_record_moves_the_whitened_mean_by_two_radii_at_most():
    mean = dp.TangentMean(shaped())
    rng = np.random.default_rng(1)
    for _ in range(50):
        here = rng.standard_normal((20, 3))
        there = here.copy()
        here[0], there[0] = 100 * rng.standard_normal((2, 3))
        sums = [exact_mean(mean, Encoded.of(mean.encode(x)), np.asarray) for x in (here, there)]
        moved = np.array([float(a - b) for a, b in zip(*sums, strict=True)])
        assert np.linalg.norm(moved) <= 2 * 0.5 / 20
    assert mean.sensitivity(20).value == pytest.approx(0.05)


def test_noise_follows_the_form_and_saves_what_the_theory_says():
    n, dim = 1000, 3
    form = form_from(SPREAD)
    rms = np.sqrt(np.trace(SPREAD @ np.linalg.inv(form)))
    follows = dp.plan(dp.TangentMean(shaped(radius=rms)), n=n, budget=dp.GDP(1))
    round_one = dp.Ball(dp.Euclidean(3), np.zeros(3), float(np.sqrt(np.trace(SPREAD))))
    plain = dp.plan(dp.TangentMean(round_one), n=n, budget=dp.GDP(1))
    draws = [plan.simulate(np.zeros(3), size=4000) for plan in (plain, follows)]
    errors = [np.sqrt(np.mean(np.sum(d**2, axis=1))) for d in draws]
    gain = np.sqrt(dim * np.trace(SPREAD)) / np.trace(np.sqrt(SPREAD))
    assert errors[0] / errors[1] == pytest.approx(gain, rel=0.05)
    covariance = np.cov(draws[1].T)
    assert covariance == pytest.approx(follows.scale**2 * form, abs=0.1 * np.max(covariance))
    assert follows.expected_error == pytest.approx(
        np.mean(np.linalg.norm(draws[1], axis=1)), rel=0.05
    )


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
def test_releases_are_verified_and_read_again(budget, tmp_path):
    ball = shaped(dp.Sphere(2), 0.4)
    plan = dp.plan(dp.TangentMean(ball), n=300, budget=budget)
    plan.save(tmp_path / "plan.json")
    points = dp.datasets.polar_sphere(300, radius=0.3, seed=0)
    dp.load_plan(tmp_path / "plan.json").release(points, folder=tmp_path / "out")
    assert verify(tmp_path / "out").problems == ()


def test_what_a_form_cannot_be_and_serve_is_refused():
    for form in (np.eye(2), -np.eye(3), np.triu(np.ones((3, 3))), np.full((3, 3), np.nan), "x"):
        with pytest.raises(InvalidBallError, match="form"):
            shaped(form=form)
    with pytest.raises(InvalidBallError, match="tangent means only"):
        dp.plan(dp.FrechetMean(shaped(dp.Sphere(2))), n=100, budget=dp.GDP(1))
    with pytest.raises(InvalidBallError, match="tangent means only"):
        dp.plan(dp.FrechetMean(shaped()), n=100, budget=dp.Pure(1), mechanism="laplace")
    with pytest.raises(InvalidBallError, match="round ball"):
        dp.Moments(shaped())
    with pytest.raises(GeomdpError, match="round ball"):
        dp.plan(dp.Refined(dp.TangentMean(shaped())), n=1000, budget=dp.GDP(1))
    plan = dp.plan(dp.TangentMean(shaped()), n=10, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="round balls"):
        plan.prepare(np.zeros((10, 3)), project=True)
    with pytest.raises(InvalidBallError, match="variance"):
        form_from(np.zeros((2, 2)))
