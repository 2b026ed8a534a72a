"""What a ball says of the denoiser: what fits, what is refused, and that a file keeps it."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.spaces.forms import smooth_form

OUTLINE = np.exp(2j * np.pi * np.arange(12) / 12)
SHAPES = dp.PlanarShapes(12)


def test_a_file_keeps_it():
    for known in (
        dp.Denoiser("smooth"),
        dp.Denoiser("none", alike=True),
        dp.Denoiser(np.diag(np.arange(1.0, 21))),
    ):
        ball = dp.Ball(SHAPES, OUTLINE, 0.2, denoiser=known)
        again = dp.Ball.from_json(ball.to_json())
        assert again.denoiser.to_json() == known.to_json()
        assert again.denoiser.describe() == known.describe()
    assert "denoiser" not in dp.Ball(SHAPES, OUTLINE, 0.2).to_json()


def test_what_does_not_fit_is_refused_while_nothing_is_planned():
    with pytest.raises(InvalidBallError, match='a matrix, "smooth" or "none"'):
        dp.Denoiser("rough")
    with pytest.raises(InvalidBallError, match="along outlines"):
        dp.Ball(dp.Sphere(3), [0, 0, 0, 1], 0.5, denoiser=dp.Denoiser("smooth"))
    with pytest.raises(InvalidBallError, match="shape"):
        dp.Ball(SHAPES, OUTLINE, 0.2, denoiser=dp.Denoiser(np.eye(3)))
    tilted = np.diag(np.arange(1.0, 21))
    tilted[0, 1] = tilted[1, 0] = 0.5
    form = np.diag(np.arange(20.0, 0, -1))
    with pytest.raises(InvalidBallError, match="different axes"):
        dp.Ball(SHAPES, OUTLINE, 0.2, form=form, denoiser=dp.Denoiser(tilted))


def test_it_changes_neither_clipping_nor_noise():
    records = 0.1 * np.random.default_rng(0).standard_normal((50, 12, 2))
    records += np.stack([OUTLINE.real, OUTLINE.imag], axis=-1)
    balls = [
        dp.Ball(SHAPES, OUTLINE, 0.2, denoiser=known)
        for known in (None, dp.Denoiser("smooth"), dp.Denoiser("none"))
    ]
    kept = [ball.admit(records).records for ball in balls]
    plans = [dp.plan(dp.TangentMean(ball), n=50, budget=dp.GDP(1)) for ball in balls]
    for one, plan in zip(kept, plans, strict=True):
        np.testing.assert_array_equal(one, kept[0])
        assert (plan.scale, plan.sensitivity) == (plans[0].scale, plans[0].sensitivity)


def test_a_prior_takes_what_holds_at_any_centre_and_no_matrix():
    prior = dp.Ball(SHAPES, OUTLINE, 0.5, denoiser=dp.Denoiser("smooth"))
    made = dp.plan(dp.Refined(dp.TangentMean(prior)), n=400, budget=dp.GDP(3))
    assert made.denoising.known.asked
    fixed = dp.Denoiser(smooth_form(SHAPES, OUTLINE))
    prior = dp.Ball(SHAPES, OUTLINE, 0.5, denoiser=fixed)
    with pytest.raises(GeomdpError, match="its own centre"):
        dp.plan(dp.Refined(dp.TangentMean(prior)), n=400, budget=dp.GDP(3))
