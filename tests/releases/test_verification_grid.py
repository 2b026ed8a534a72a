"""A value off the stated grid is named, and no value on it ever is."""

import json

import numpy as np
import plans_corpus as corpus
import pytest

import geomdp as dp
from geomdp.plans.release import Release
from geomdp.releases.verification import verify
from geomdp.releases.verification.values import _unscaled, on_grid
from geomdp.report.pictures.scene import public_point
from geomdp.serial import array_to_json
from geomdp.spaces.specs import space_from_spec
from geomdp_papers.point_mean import PointMean

#: All that have a grid: one of each space and way of rounding.
CHOSEN = (*corpus.SINGLE, "function", "surface")


def released(plan):
    point = np.asarray(public_point(plan))
    return plan.release(np.repeat(point[None], plan.n, axis=0) if plan.statistic.needs_n else point)


def moved(plan, value, generator):
    """The value, a few steps of the grid away in a random direction."""
    space = getattr(plan.statistic, "space", None)
    if space is None:
        return value + 0.01 * plan.scale * generator.standard_normal(value.shape)
    steps = 3.3 * 2.0**plan.calibration.grid_exponent
    return space.canonical(space.frame_exp(value, steps * generator.standard_normal(space.dim)))


@pytest.mark.parametrize("name", CHOSEN)
def test_values_on_the_grid_are_told_from_values_beside_it(name):
    plan = corpus.made(name)
    value, generator = released(plan).value, np.random.default_rng(0)
    assert on_grid(plan, value) is True
    assert {on_grid(plan, moved(plan, value, generator)) for _ in range(4)} == {False}


def test_means_of_labelled_points_have_a_grid_too():
    plan = dp.plan(PointMean(np.arange(12.0).reshape(4, 3), 1.0), n=50, budget=dp.GDP(1))
    value, generator = released(plan).value, np.random.default_rng(0)
    assert on_grid(plan, value) is True
    assert on_grid(plan, moved(plan, value, generator)) is False


def test_a_comparison_has_no_grid():
    mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3))
    plan = dp.plan(mean, n=30, budget=dp.Pure(1), mechanism="ambient-laplace")
    assert on_grid(plan, released(plan).value) is None


def plan_on(spec, radius, n, epsilon):
    space = space_from_spec(spec)
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), radius)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism="laplace")


@pytest.mark.parametrize(
    ("spec", "radius", "n", "epsilon"),
    [("spd:2", 2.0, 10, "0.32"), ("hyperbolic:2", 2.0, 10, "0.405"), ("sphere:2", 1.0, 2, "0.1")],
)
def test_wild_noise_raises_no_false_alarm(spec, radius, n, epsilon):
    plan = plan_on(spec, radius, n, epsilon)
    prepared = plan.prepare(np.repeat(plan.statistic.ball.center[None], n, axis=0))
    assert False not in [on_grid(plan, prepared.draw().value) for _ in range(15)]


def test_the_length_lost_by_normalising_is_found_again():
    """Rounding may move the length, and so the largest coordinate, by more than half a step."""
    generator, length = np.random.default_rng(0), 2.0**20
    worst, vector = 0.0, np.zeros(3)
    for _ in range(5000):
        at = np.array([0.888, 0.325, 0.325]) + 0.01 * generator.standard_normal(3)
        rounded = np.rint(length * at / np.linalg.norm(at))
        shift = rounded[0] * abs(1 - length / np.linalg.norm(rounded))
        if shift > worst:
            worst, vector = shift, rounded
    assert worst > 0.55
    units = vector * (length / np.linalg.norm(vector))
    assert np.max(np.abs(_unscaled(units) - vector)) < 1e-6


def test_a_grid_finer_than_floats_is_not_judged():
    plan = plan_on("sphere:2", 0.1, 100_000, "1000")
    space = plan.statistic.space
    beside = space.canonical(np.random.default_rng(0).standard_normal(3))
    assert on_grid(plan, beside) is None


def save_with(plan, value, folder, **fields):
    """Write a release whose value was put there by hand, with all hashes in order."""
    manifest = {**released(plan).manifest, **fields, "value": array_to_json(value)}
    Release(plan, value, manifest).save(folder)
    return verify(folder)


def test_a_folder_with_a_value_beside_the_grid_is_refused(tmp_path):
    plan = plan_on("spd:2", 1.0, 100, 1)
    value = released(plan).value
    assert save_with(plan, value, tmp_path / "a").verified
    problems = save_with(plan, value * (1 + 1e-9), tmp_path / "b").problems
    assert [p.field for p in problems] == ["value"]
    assert "grid" in problems[0].reason


def test_a_projected_value_lies_on_the_grid_at_the_edge_or_at_the_centre(tmp_path):
    plan = plan_on("sphere:2", 0.5, 50, 2)
    ball = plan.statistic.ball
    edge = ball.clip(np.array([[1.0, 0.0, 0.0]]))[0]
    for i, value in enumerate([released(plan).value, edge, ball.center]):
        assert save_with(plan, value, tmp_path / str(i), projected=True).verified
    inside = np.array([0.1, 0.0, np.sqrt(0.99)])
    problems = save_with(plan, inside, tmp_path / "inside", projected=True).problems
    assert [p.field for p in problems] == ["value"]


WRONG = {
    "not a matrix": np.ones(3),
    "not symmetric": np.array([[1.0, 0.5], [0.0, 1.0]]),
    "indefinite": np.diag([1.0, -1.0]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_point_is_named(case, tmp_path):
    problems = save_with(plan_on("spd:2", 1.0, 100, 1), WRONG[case], tmp_path / "a").problems
    assert [p.field for p in problems] == ["value"]


@pytest.mark.parametrize(
    "value", [np.ones((2, 2)), np.diag([np.inf, 1.0]), np.full((2, 2), np.nan)]
)
def test_what_floats_do_not_resolve_is_said_and_not_refused(value, tmp_path):
    verdict = save_with(plan_on("spd:2", 1.0, 100, 1), value, tmp_path / "a")
    assert verdict.verified
    assert [r.field for r in verdict.remarks] == ["value"]


def test_off_the_sphere_is_never_rounding(tmp_path):
    problems = save_with(
        plan_on("sphere:2", 0.5, 50, 2), np.full(3, np.nan), tmp_path / "a"
    ).problems
    assert [p.field for p in problems] == ["value"]


@pytest.mark.parametrize("what", ["template", "tau"])
def test_redundant_inputs_of_a_surface_must_agree(what, tmp_path):
    """The mean of functions follows from template and recipe; tripled, it moved the picture."""
    from geomdp.plans.release import PAGES, arrays_to_files, file_hashes, files_to_arrays
    from geomdp.serial import array_from_json

    folder = tmp_path / "out"
    released(corpus.surface()).save(folder)
    document = files_to_arrays(json.loads((folder / "manifest.json").read_text()), folder)
    functions = document["plan"]["statistic"]["functions"]
    if what == "template":
        functions["template"] = array_to_json(3 * array_from_json(functions["template"]))
    else:
        functions["tau"] *= 2
    for file in folder.glob("*.npy"):
        if file.name not in ("value.npy", "denoised.npy"):
            file.unlink()
    for page in PAGES:
        (folder / page).unlink(missing_ok=True)
    document = arrays_to_files(document, folder)
    document["files"] = file_hashes(folder)
    (folder / "manifest.json").write_text(json.dumps(document))
    fields = [p.field for p in verify(folder).problems]
    assert fields
    assert all(field.startswith("plan.") for field in fields)
    if what == "template":
        assert fields == ["plan.statistic.functions.template"]


@pytest.mark.parametrize(
    "space",
    [dp.Sphere(2), dp.PlanarShapes(4), dp.Rotations(), dp.Shapes(5), dp.SizeAndShape(5)],
    ids=lambda space: space.spec,
)
def test_noise_that_reaches_around_the_space_is_not_called_a_forgery(space):
    """Formerly an honest release of wide noise failed: its value has other coordinates too."""
    rng = np.random.default_rng(1)
    center = space.canonical(
        rng.standard_normal((5, 3)) if space.chart_only else space.origin(np.zeros(1))
    )
    mean = dp.TangentMean(dp.Ball(space, center, 0.05))
    records = np.stack([center] * 5)
    wide = dp.plan(mean, n=5, budget=dp.GDP("0.003"))
    assert {on_grid(wide, wide.release(records).value) for _ in range(4)} <= {True, None}
    narrow = dp.plan(mean, n=5, budget=dp.GDP(50))
    value = narrow.release(records).value
    assert on_grid(narrow, value)
    moved = space.canonical(space.frame_exp(center, 1e-9 * rng.standard_normal(space.dim)))
    assert on_grid(narrow, moved) is False
