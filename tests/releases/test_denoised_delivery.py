"""Denoised values beside released ones: files, manifests, pages, verification, groups, stages."""

import json
import shutil

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io.formats import FORMATS
from geomdp.io.loading import Loaded
from geomdp.io.writing import write_value
from geomdp.plans.release import digest, part_folders
from geomdp.releases.estimates.denoised import on_top, shown

DIM, N = 20, 60
RECORDS = 0.1 + 0.02 * np.random.default_rng(0).standard_normal((N, DIM))


def ball(**how):
    return dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0, **how)


def planned(budget=None, **how):
    return dp.plan(dp.FrechetMean(ball(**how)), n=N, budget=budget or dp.GDP(0.5))


@pytest.fixture
def folder(tmp_path):
    """A release with its value in a table too, as the command writes it."""

    def also(release, inside):
        names = tuple(f"x{i}" for i in range(DIM))
        came = Loaded(RECORDS, {}, FORMATS["csv"], names, DIM)
        for stem, value in (("value", release.value), ("denoised", release.denoised)):
            write_value(value, inside, came, release.plan.statistic, "lower", stem=stem)

    planned().release(RECORDS).save(tmp_path / "out", also)
    return tmp_path / "out"


def altered(folder, name, change):
    """Change a file and the hash that the manifest states of it: a forger knows how."""
    change(folder / name)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = digest(folder / name)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def problems(folder):
    return [str(problem) for problem in dp.verify(folder).problems]


def test_the_files_hold_it_and_the_manifest_says_what_is_known(folder):
    again = dp.load_release(folder)
    np.testing.assert_array_equal(np.load(folder / "denoised.npy"), again.denoised)
    assert not np.array_equal(again.denoised, again.value)
    said = again.manifest["denoised"]
    assert "never above" in said["risk"]
    assert said["on_top"] is True
    assert problems(folder) == []


def test_a_changed_file_is_found_though_its_hash_fits(folder):
    def moved(file):
        np.save(file, np.load(file) * (1 + 1e-5))

    altered(folder, "denoised.npy", moved)
    assert any("denoised.npy" in text for text in problems(folder))


def test_a_changed_table_is_found_though_its_hash_fits(folder):
    def moved(file):
        file.write_text(file.read_text().replace("0.0", "0.1", 1))

    altered(folder, "denoised.csv", moved)
    assert any("denoised.csv" in text for text in problems(folder))


@pytest.mark.parametrize(
    ("field", "value"), [("on_top", False), ("risk", "none"), ("rule", "by eye")]
)
def test_a_statement_that_does_not_follow_is_found(folder, field, value):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["denoised"][field] = value
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert any(f"denoised.{field}" in text for text in problems(folder))


def test_a_narrower_region_is_found(folder):
    """Such as the ball of an empirical Bayes posterior, which covers far less."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["denoised"]["region"]["radius"] *= 0.8
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert any("denoised.region" in text for text in problems(folder))


def test_a_file_that_is_gone_or_was_put_there_is_found(folder, tmp_path):
    bare = dp.plan(dp.FrechetMean(dp.Ball(dp.Euclidean(2), [0.0, 0.0], 1.0)), n=N, budget=dp.GDP(1))
    bare.release(RECORDS[:, :2], folder=tmp_path / "bare")
    assert not (tmp_path / "bare/denoised.npy").exists()
    shutil.copy(folder / "denoised.npy", tmp_path / "bare")
    assert any("denoised.npy" in text for text in problems(tmp_path / "bare"))
    (folder / "denoised.npy").unlink()
    assert any("denoised.npy" in text for text in problems(folder))


def test_the_region_has_the_radius_of_the_noise_and_covers():
    plan = planned()
    truth = np.r_[0.3, np.zeros(DIM - 1)]
    covered = []
    for value in plan.simulate(truth, 400):
        release = dp.Release(plan, value, {"denoised": plan.denoising.to_json()})
        region = release.denoised_region
        covered.append(bool(region.contains(truth)))
        edge = region.edge(np.eye(DIM)[:2]) - region.center
        np.testing.assert_allclose(np.linalg.norm(edge, axis=-1), region.radius)
    assert np.mean(covered) > 0.93
    assert region.radius == pytest.approx(plan.error_quantile(0.95), rel=1e-3)


def test_where_nothing_is_proved_no_region_is_given():
    known = dp.Denoiser(np.diag(1.0 / np.arange(1, DIM + 1)))
    release = planned(denoiser=known).release(RECORDS)
    assert "no bound" in release.manifest["denoised"]["risk"]
    with pytest.raises(GeomdpError, match="No region"):
        release.denoised_region  # noqa: B018


def test_which_value_is_on_top_is_fixed_by_the_plan():
    loud, quiet = planned(dp.GDP(0.3)), planned(dp.GDP(300))
    assert (loud.denoising.on_top, quiet.denoising.on_top) == (True, False)
    for plan in (loud, quiet):
        release = plan.release(RECORDS)
        expected = release.denoised if plan.denoising.on_top else release.value
        np.testing.assert_array_equal(shown(release), expected)
    projected = loud.release(RECORDS, project=True)
    assert "denoised" not in projected.manifest
    assert on_top(projected) is None


@pytest.mark.slow
def test_groups_that_are_declared_alike_are_pooled_and_others_are_not(tmp_path, with_reports):
    labels = np.repeat(list("abcdefgh"), N)
    rng = np.random.default_rng(1)
    common = 0.3 * rng.standard_normal(DIM) / np.sqrt(DIM)
    records = dp.Records(common + 0.01 * rng.standard_normal((8 * N, DIM)), group=list(labels))
    found = {}
    for alike in (False, True):
        asked = dp.FrechetMean(ball(denoiser=dp.Denoiser(alike=alike)))
        plan = dp.plan(asked, n=dict.fromkeys("abcdefgh", N), budget=dp.GDP(0.5))
        release = plan.release(records, folder=tmp_path / f"{alike}")
        off = [np.linalg.norm(one - common) for one in release.denoised.values()]
        found[alike] = np.mean(off)
        assert problems(tmp_path / f"{alike}") == []
    assert found[True] < 0.6 * found[False]
    assert not (tmp_path / "False/denoised.npy").exists()
    again = dp.load_release(tmp_path / "True")
    rows = np.load(tmp_path / "True/denoised.npy")
    np.testing.assert_array_equal(rows, np.array(list(again.denoised.values())))
    page = (tmp_path / "True/report.html").read_text()
    assert "All groups" in str(again.plan)
    assert "Groups were declared alike" in page
    altered(tmp_path / "True", "denoised.npy", lambda file: np.save(file, rows * 1.001))
    assert any("denoised.npy" in text for text in problems(tmp_path / "True"))


def test_of_stages_the_last_one_says_how_it_is_denoised(tmp_path):
    prior = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 5.0)
    plan = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=N, budget=dp.GDP(3))
    release = plan.release(RECORDS, folder=tmp_path / "out")
    last = release.answer
    assert release.manifest["denoised"] == last.manifest["denoised"]
    whole = tmp_path / "out"
    for inside in (whole, whole / list(part_folders(release).values())[-1]):
        np.testing.assert_array_equal(np.load(inside / "denoised.npy"), last.denoised)
    assert problems(tmp_path / "out") == []


def test_moments_lose_error_of_their_mean_and_pages_show_them_as_drawn():
    plan = dp.plan(dp.Moments(ball()), n=N, budget=dp.GDP(0.5))
    release = plan.release(RECORDS)
    assert np.linalg.norm(release.denoised[0]) < np.linalg.norm(release.value[0])
    np.testing.assert_array_equal(release.denoised[1:], release.value[1:])
    assert on_top(release) is None
    assert "the mean alone" in release.manifest["denoised"]["risk"]


def test_the_plan_says_both_errors_before_anything_is_spent():
    plan = planned(dp.Pure(1))
    text = str(plan)
    assert f"{plan.expected_error:.6g} expected" in text
    assert f"Denoised     {plan.denoising.typical:.6g} expected" in text
    assert plan.denoising.center < plan.denoising.typical < plan.expected_error


def test_auto_weighs_what_people_use():
    """Noise in coordinates may be louder and still leave less, once it is denoised."""
    outline = np.exp(2j * np.pi * np.arange(40) / 40)
    asked = dp.FrechetMean(dp.Ball(dp.PlanarShapes(40), outline, 0.2))
    plan = dp.plan(asked, n=300, budget=dp.Pure(1))
    others = {one.name: one.expected_error for one in plan.runners_up}
    assert plan.mechanism == "wrapped-laplace"
    assert others["laplace"] < plan.expected_error
    assert plan.denoising.typical < others["laplace"]
