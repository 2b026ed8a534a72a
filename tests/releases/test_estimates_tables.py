"""What a release says as tables and one small JSON: all of it follows from value and plan."""

import csv
import json

import numpy as np
import pytest

import geomdp as dp
from geomdp.readings import Compositions, Directions
from geomdp.releases.estimates.tables import COORDINATES, RESULT, RESULTS, plain

BALL = dp.Ball(dp.SPD(2), np.eye(2), 2.0)
RNG = np.random.default_rng(5)
TENSORS = np.array([np.diag(d) for d in RNG.uniform(0.5, 2.0, (60, 2))])
SEX = np.array(["f", "=m"])[np.arange(60) % 2]


def saved(folder, asked, records=TENSORS, n=60, **how):
    release = dp.plan(asked, n=n, budget=dp.GDP(3), **how).release(records)
    release.save(folder)
    assert dp.verify(folder).problems == ()
    return release


def rows(folder, name):
    with (folder / name).open(encoding="utf-8", newline="") as stream:
        first, *others = csv.reader(stream)
    return first, {row[0]: [float(cell) for cell in row[1:]] for row in others}


def test_a_value_stands_in_a_table_with_all_its_digits_and_the_plan_s_names(tmp_path):
    release = saved(tmp_path / "r", dp.TangentMean(BALL), names=["a", "b"])
    first, found = rows(tmp_path / "r", RESULTS)
    assert first == ["quantity", "a:a", "b:a", "b:b"]
    assert found["value"] == release.value[np.tril_indices(2)].tolist()
    assert not (tmp_path / "r" / COORDINATES).exists()
    said = json.loads((tmp_path / "r" / RESULT).read_text("utf-8"))
    assert said["points"]["value"] == release.value.tolist()
    assert said["error by noise"]["expected"] == release.plan.expected_error
    assert (said["n"], said["space"]) == (60, "spd:2")


def test_moments_classes_and_slopes_are_rows(tmp_path):
    release = saved(tmp_path / "m", dp.Moments(BALL))
    found = dp.moments_of(release)
    assert rows(tmp_path / "m", COORDINATES)[1]["covariance, row 2"] == found.covariance[1].tolist()
    age = np.linspace(20, 90, 60)
    asked = dp.Regression(BALL, covariates={"age": (20, 90), "sex": ["f", "=m"]})
    release = saved(tmp_path / "s", asked, dp.Records(TENSORS, covariates={"age": age, "sex": SEX}))
    found = rows(tmp_path / "s", COORDINATES)[1]
    slope = release.regression.slope("age")
    assert found["a unit of age"] == slope.vector.tolist()
    assert found["a unit of age: error by noise, by sampling"] == [slope.privacy, slope.sampling]
    assert "sex =m against f" in found
    asked = dp.Classes(BALL, labels=("f", "=m"))
    release = saved(tmp_path / "c", asked, dp.Records(TENSORS, group=SEX))
    mean = dp.classes_of(release).means[1]
    assert rows(tmp_path / "c", RESULTS)[1]["mean of =m"] == mean[np.tril_indices(2)].tolist()


@pytest.mark.parametrize("second", ["by-class", "none"])
def test_sizes_errors_and_covariances_of_classes_are_rows(tmp_path, second):
    asked = dp.Classes(BALL, labels=("f", "=m"), second=second)
    release = saved(tmp_path / "c", asked, dp.Records(TENSORS, group=SEX))
    classes, found = dp.classes_of(release), rows(tmp_path / "c", COORDINATES)[1]
    assert found["size of f, its error by noise"] == [classes.sizes["f"], classes.size_error]
    assert found["size of unknown, its error by noise"] == [classes.sizes["unknown"]]
    told = [one for one in classes.errors["f"] if np.isfinite(one)]
    assert found["mean of f: error by noise, by sampling"] == told
    assert len(told) == {"by-class": 2, "none": 1}[second]
    if second == "by-class":
        assert found["covariance of =m, row 1"] == classes.covariance("=m")[0].tolist()
    assert dp.verify(tmp_path / "c").verified


def test_the_point_of_an_extrinsic_mean_stands_in_the_table(tmp_path):
    points = dp.datasets.polar_sphere(60, radius=0.3, seed=0)
    release = saved(tmp_path / "e", dp.ExtrinsicMean(dp.Sphere(2)), points)
    found = dp.extrinsic_of(release)
    point = found.mean.tolist()
    assert rows(tmp_path / "e", RESULTS)[1]["mean"] == point
    assert json.loads((tmp_path / "e" / RESULT).read_text("utf-8"))["points"]["mean"] == point
    lengths = rows(tmp_path / "e", COORDINATES)[1]["resultant length, its error by noise"]
    assert lengths == [found.length, found.length_error]
    assert dp.verify(tmp_path / "e").verified


def test_groups_stand_in_one_table_and_no_cell_is_a_formula(tmp_path):
    sizes = {"f": 30, "=m": 30}
    release = saved(tmp_path / "g", dp.TangentMean(BALL), dp.Records(TENSORS, group=SEX), n=sizes)
    found = rows(tmp_path / "g", RESULTS)[1]
    assert found["'=m: value"] == release.value["=m"][np.tril_indices(2)].tolist()
    assert "f: value" in found
    assert plain(" @x") == "' @x"


@pytest.mark.parametrize("name", [RESULTS, COORDINATES, RESULT])
def test_an_altered_table_is_found(tmp_path, name):
    saved(tmp_path / "m", dp.Moments(BALL))
    file = tmp_path / "m" / name
    text = file.read_text("utf-8")
    place = text.index(".", text.index("mean")) + 1
    file.write_text(f"{text[:place]}{9 - int(text[place])}{text[place + 1 :]}", "utf-8")
    assert any(name in str(problem) for problem in dp.verify(tmp_path / "m").problems)


def test_shares_and_angles_stand_as_files_have_them(tmp_path):
    """Formerly the square roots of shares stood under the names of the shares."""
    center = np.ones(3) / np.sqrt(3)
    for reading, raw, names, head in (
        (Compositions(normalize=True), [5.0, 3.0, 2.0], ("sand", "silt", "clay"), None),
        (Directions("dec-inc"), [45.0, 35.0], (), ("declination", "inclination")),
    ):
        asked = dp.FrechetMean(dp.Ball(dp.Sphere(2), center, 0.5))
        how = {"budget": dp.Pure(50), "reading": reading, "names": names}
        release = dp.plan(asked, n=20, **how).release(
            np.tile(raw, (20, 1)), folder=tmp_path / reading.tag
        )
        first, found = rows(tmp_path / reading.tag, RESULTS)
        assert first == ["quantity", *(head or names)]
        assert found["value"] == reading.value(release.value).tolist()
        assert not list(dp.verify(tmp_path / reading.tag).problems)
