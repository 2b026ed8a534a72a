"""Shaped balls: clipping in the norm of a public form, noise that follows it, and what it saves."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.entropy import SeededEntropy
from geomdp.releases.estimates import shaped_ball
from geomdp.releases.verification import verify
from geomdp.spaces.forms import (
    form_at,
    form_from,
    mesh_waves,
    outline_waves,
    saving,
    smooth_form,
    tangent_basis,
)
from geomdp.statistics.encoded import Encoded

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
    with pytest.raises(GeomdpError, match="round ball"):
        dp.plan(dp.Refined(dp.TangentMean(shaped())), n=1000, budget=dp.GDP(1))
    plan = dp.plan(dp.TangentMean(shaped()), n=10, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="round balls"):
        plan.prepare(np.zeros((10, 3)), project=True)
    with pytest.raises(InvalidBallError, match="variance"):
        form_from(np.zeros((2, 2)))


# --- sources of a form --------------------------------------------------------------------------


def outline(k=20):
    t = 2 * np.pi * np.arange(k) / k
    return np.stack([1.6 * np.cos(t), np.sin(t)], axis=-1)


def test_a_covariance_of_entries_is_carried_to_the_frame():
    space = dp.PlanarShapes(20)
    center = dp.Ball(space, outline(), 0.2).center
    basis = tangent_basis(space, center)
    assert basis @ basis.T == pytest.approx(np.eye(space.dim), abs=1e-9)
    rng = np.random.default_rng(0)
    logs = rng.standard_normal((4000, space.dim)) * np.r_[0.05, np.full(space.dim - 1, 0.005)]
    shapes = space.align(np.asarray(space.frame_exp(center, logs)), to=center)
    entries = np.stack([shapes.real, shapes.imag], axis=-1).reshape(len(shapes), -1)
    ambient = form_at(space, center, np.cov(entries.T))
    assert ambient == pytest.approx(form_from(np.cov(logs.T)), abs=0.03 * np.max(ambient))
    with pytest.raises(InvalidBallError, match="36 rows"):
        form_at(space, center, np.eye(7))


def test_a_smooth_form_favours_low_frequencies():
    space = dp.PlanarShapes(20)
    center = dp.Ball(space, outline(), 0.2).center
    form, basis = smooth_form(space, center), tangent_basis(space, center)
    assert np.trace(form) == pytest.approx(space.dim)

    def weight(frequency):
        wave = np.exp(2j * np.pi * frequency * np.arange(20) / 20)
        inside = basis @ np.stack([wave.real, wave.imag], axis=-1).reshape(-1)
        return inside @ form @ inside / (inside @ inside)

    weights = [weight(k) for k in (2, 4, 8)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] / weights[2] == pytest.approx(4, rel=0.15)
    assert 1.2 < saving(form) < 2
    with pytest.raises(InvalidBallError, match="along outlines"):
        smooth_form(dp.Sphere(2), np.array([0.0, 0.0, 1.0]))
    with pytest.raises(InvalidBallError, match="between 0 and 2"):
        smooth_form(space, center, 3.0)


def test_plans_say_what_a_form_saves_and_it_comes_true():
    form, rng = form_from(SPREAD), np.random.default_rng(2)
    records = rng.standard_normal((20_000, 3)) @ np.sqrt(SPREAD)
    white = np.linalg.norm(records @ np.linalg.inv(np.sqrt(form)), axis=1)
    radii = [float(np.quantile(x, 0.99)) for x in (np.linalg.norm(records, axis=1), white)]
    plain, follows = (
        dp.plan(
            dp.TangentMean(dp.Ball(dp.Euclidean(3), np.zeros(3), r, form=f)),
            n=500,
            budget=dp.GDP(1),
        )
        for r, f in zip(radii, (None, form), strict=True)
    )
    rms = [
        np.sqrt(np.mean(np.sum(p.simulate(np.zeros(3), 4000) ** 2, axis=1)))
        for p in (plain, follows)
    ]
    note = follows.forecast.note
    assert "round ball" in note
    assert "round ball" not in plain.forecast.note
    assert saving(form) == pytest.approx(rms[0] / rms[1], rel=0.05)
    assert f"{saving(form):.3g} times" in note
    assert saving(np.eye(4)) == pytest.approx(1.0)


def test_a_released_covariance_shapes_a_later_ball(tmp_path):
    rng = np.random.default_rng(3)
    space, n = dp.Euclidean(3), 4000
    first, second = (rng.standard_normal((n, 3)) * [0.2, 0.05, 0.02] for _ in range(2))
    wide = dp.Ball(space, np.zeros(3), 0.7)
    released = dp.plan(dp.Moments(wide), n=n, budget=dp.GDP(1)).release(
        first, folder=tmp_path / "a"
    )
    ball = shaped_ball(released)
    assert ball.form[0, 0] > 2 * ball.form[2, 2]
    plan = dp.plan(dp.TangentMean(ball), n=n, budget=dp.GDP(1))
    assert (
        plan.expected_error
        < 0.7 * dp.plan(dp.TangentMean(wide), n=n, budget=dp.GDP(1)).expected_error
    )
    plan.release(second, folder=tmp_path / "b")
    verdict = verify(tmp_path / "b")
    assert verdict.problems == ()
    assert any("release in a" in str(remark) for remark in verdict.remarks)
    white = np.linalg.norm(second @ np.linalg.inv(np.linalg.cholesky(ball.form)).T, axis=1)
    assert np.mean(white <= ball.radius) > 0.95
    again = dp.plan(dp.Moments(ball), n=n, budget=dp.GDP(1)).release(second)
    with pytest.raises(GeomdpError, match="round ball"):
        shaped_ball(again)


# --- moments in a shaped ball -------------------------------------------------------------------


def drawn(plan, points, seed):
    encoded = Encoded.of(plan.statistic.encode(points))
    value = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed))[0]
    return dp.moments_of(dp.Release(plan, value, {}))


def test_moments_in_a_shaped_ball_are_those_of_the_frame():
    rng = np.random.default_rng(4)
    ball = dp.Ball(dp.Euclidean(3), np.zeros(3), 4.0, form=form_from(SPREAD))
    points = rng.standard_normal((200_000, 3)) @ np.sqrt(SPREAD) + [0.2, 0.0, 0.01]
    plan = dp.plan(dp.Moments(ball), n=200_000, budget=dp.GDP(1))
    found = drawn(plan, points, 0)
    assert found.coordinates == pytest.approx([0.2, 0.0, 0.01], abs=5e-3)
    scales = np.sqrt(np.outer(np.diag(SPREAD), np.diag(SPREAD)))
    assert found.covariance / scales == pytest.approx(np.cov(points.T) / scales, abs=0.15)
    assert found.dispersion == pytest.approx(np.trace(SPREAD), rel=0.01)
    pure = drawn(dp.plan(dp.Moments(ball), n=200_000, budget=dp.Pure(1)), points, 0)
    white = (points - points.mean(axis=0)) @ np.linalg.inv(np.sqrt(ball.form))
    assert pure.dispersion == pytest.approx(np.mean(np.sum(white**2, axis=1)), rel=0.02)
    value = plan.statistic.decode(np.arange(9.0))
    assert plan.statistic.to_coordinates(value) == pytest.approx(np.arange(9.0), abs=1e-9)


def test_regions_of_shaped_moments_cover_and_are_narrower():
    rng = np.random.default_rng(5)
    form = form_from(SPREAD)
    shaped_one = dp.Ball(dp.Euclidean(3), np.zeros(3), 3.6, form=form)
    round_one = dp.Ball(dp.Euclidean(3), np.zeros(3), 2.6)
    n, covered, axes = 150, 0, {}
    plans = {
        b.form is None: dp.plan(dp.Moments(b), n=n, budget=dp.GDP(1))
        for b in (shaped_one, round_one)
    }
    for seed in range(120):
        points = rng.standard_normal((n, 3)) @ np.sqrt(SPREAD)
        for plain, plan in plans.items():
            region = drawn(plan, points, seed).confidence_region()
            axes.setdefault(plain, []).append(region.half_axes[-1])
            covered += not plain and bool(region.contains_coordinates(np.zeros(3)))
    assert covered / 120 >= 0.92
    assert np.mean(axes[False]) < 0.5 * np.mean(axes[True])  # the narrowest direction


def test_neighbours_of_shaped_moments_stay_within_the_declared_diameter():
    rng = np.random.default_rng(6)
    asked = dp.Moments(shaped(radius=0.7))
    weights = np.asarray(asked.noise_profile)
    for _ in range(200):
        points = 3 * rng.standard_normal((2, 3)) * rng.choice([0.1, 1.0, 100.0], 3)
        coordinates = [
            [float(x) for x in exact_mean(asked, Encoded.of(asked.encode(p[None])), np.asarray)]
            for p in points
        ]
        moved = np.subtract(*np.array(coordinates)) / weights
        assert np.linalg.norm(moved) <= 2 * 0.7 * (1 + 1e-12)


def test_shaped_moments_are_compared_only_in_one_form():
    rng = np.random.default_rng(7)
    points = 0.1 * rng.standard_normal((200, 3))
    found = [
        drawn(dp.plan(dp.Moments(ball), n=200, budget=dp.GDP(1)), points, 0)
        for ball in (shaped(), dp.Ball(dp.Euclidean(3), np.zeros(3), 0.5))
    ]
    with pytest.raises(GeomdpError, match="different forms"):
        dp.compare(*found)
    assert dp.compare(found[0], found[0]).p_value > 0.98


def grid_mesh(rows, columns):
    """Vertices and triangles of a flat grid."""
    at = np.arange(rows * columns).reshape(rows, columns)
    corners = [at[:-1, :-1], at[1:, :-1], at[:-1, 1:], at[1:, 1:]]
    a, b, c, d = (corner.reshape(-1) for corner in corners)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])


def test_the_waves_of_a_ring_are_those_of_an_outline():
    k = 40
    ring = np.array([[i, (i + 1) % k, i] for i in range(k)])
    mine, waves = mesh_waves(ring, k)
    theirs, outline = outline_waves(k)
    assert np.allclose(waves.T @ waves, np.eye(k))
    for frequency in range(6):
        here = waves[:, np.abs(mine - frequency) < 0.05 * max(1, frequency)]
        there = outline[:, theirs == frequency]
        assert here.shape == there.shape
        assert np.allclose(here @ here.T, (there @ there.conj().T).real, atol=1e-9)


@pytest.mark.parametrize("each", [1, 2, 3])
def test_a_form_over_a_mesh_favours_slow_changes(each):
    rows, columns = 5, 6
    space = dp.Euclidean(each * rows * columns)
    form = smooth_form(space, np.zeros(space.dim), faces=grid_mesh(rows, columns))
    assert np.isclose(np.trace(form), space.dim)
    x = np.tile(np.arange(columns), (rows, 1))
    fields = [np.cos(np.pi * m * (x + 0.5) / columns) for m in (1, 3, 5)]
    lengths = []
    for field in fields:
        moved = np.outer(field.reshape(-1), np.eye(each)[-1]).reshape(-1)
        moved /= np.linalg.norm(moved)
        lengths.append(moved @ form @ moved)
    assert lengths[0] > 1.8 * lengths[1] > 1.8 * 1.2 * lengths[2]


def test_what_a_mesh_does_not_connect_moves_freely():
    apart = np.array([[0, 1, 2], [3, 4, 5]])
    frequencies, waves = mesh_waves(apart, 7)
    assert np.count_nonzero(frequencies == 0) == 3  # two triangles, and a vertex on its own
    assert frequencies[frequencies > 0].min() == 1
    assert np.allclose(waves.T @ waves, np.eye(7))


@pytest.mark.parametrize("space", [dp.SizeAndShape(30, 3), dp.Shapes(30, 3), dp.PlanarShapes(30)])
def test_landmarks_on_a_mesh_have_a_form(space):
    rng = np.random.default_rng(0)
    atlas = rng.standard_normal((30, 2 if isinstance(space, dp.PlanarShapes) else 3))
    center = dp.Ball(space, atlas, 0.1).center
    ball = dp.Ball(space, center, 0.1, form=smooth_form(space, center, faces=grid_mesh(5, 6)))
    round_one = dp.plan(dp.TangentMean(dp.Ball(space, center, 0.1)), n=100, budget=dp.GDP(1))
    shaped = dp.plan(dp.TangentMean(ball), n=100, budget=dp.GDP(1))
    # The mean of the form's eigenvalues is 1: at the same radius the same noise in all.
    assert np.isclose(shaped.expected_error, round_one.expected_error, rtol=0.05)


def test_meshes_that_do_not_fit_are_refused():
    space, zero = dp.Euclidean(6), np.zeros(6)
    with pytest.raises(InvalidBallError, match="4 vertices"):
        smooth_form(space, zero, faces=[[0, 1, 3]])
    with pytest.raises(InvalidBallError, match="up to number 7"):
        smooth_form(dp.SizeAndShape(5, 3), np.eye(5)[:, :3], faces=[[0, 1, 7]])
    for faces in ([[0, 1]], [[0.5, 1, 2]], np.empty((0, 3), int), [[-1, 0, 1]]):
        with pytest.raises(InvalidBallError):
            smooth_form(dp.SizeAndShape(5, 3), np.eye(5)[:, :3], faces=faces)
    with pytest.raises(InvalidBallError, match="no edges"):
        smooth_form(dp.SizeAndShape(5, 3), np.eye(5)[:, :3], faces=[[1, 1, 1]])
    with pytest.raises(InvalidBallError, match="mesh of the landmarks"):
        smooth_form(dp.SizeAndShape(5, 3), np.eye(5)[:, :3])  # in space there is no outline


def test_a_form_taken_from_the_records_breaks_the_sensitivity():
    """The mutant: the form is no longer public, so that one record clips all others anew."""
    here = np.tile([5.0, 0.1, 0.1], (20, 1))
    there = here.copy()
    here[0], there[0] = [100.0, 0.0, 0.0], [0.0, 100.0, 0.0]
    public = form_from(SPREAD)

    def moved(*forms):
        means = [
            shaped(form=f).clip(x).mean(axis=0) for f, x in zip(forms, (here, there), strict=True)
        ]
        gap = np.subtract(*means)
        return float(np.sqrt(gap @ np.linalg.inv(public) @ gap))

    assert moved(public, public) <= 2 * 0.5 / 20 * (1 + 1e-9)
    own = (form_from(x.T @ x / 20 + 1e-3 * np.eye(3)) for x in (here, there))
    assert moved(*own) > 2 * 2 * 0.5 / 20
