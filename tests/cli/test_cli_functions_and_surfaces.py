"""Curves and meshes by command alone, with the options that Python has."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from geomdp.cli import app
from geomdp.curves import CircleGrid, FunctionMoments, IntervalGrid
from geomdp.curves.datasets import growth_curves
from geomdp.io import read_records
from geomdp.plans import load_plan, load_release, tau_of
from geomdp.releases.estimates import function_moments_of
from geomdp.surfaces import Surface, procedural_face, template_face, write_surface


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def said(result):
    return " ".join(result.stderr.replace("│", " ").split())


def test_growth_curves_from_csv_to_a_verified_release(tmp_path):
    family = growth_curves(60, seed=1)
    names = ",".join(f"age{int(age)}" for age in family.grid.points)
    np.savetxt(tmp_path / "a.csv", family.records, delimiter=",", header=names, comments="")
    np.save(tmp_path / "chart.npy", family.template)
    np.savetxt(tmp_path / "ages.csv", family.grid.points[None], delimiter=",")
    plan = ["plan", "--space", "functions:17", "--center", tmp_path / "chart.npy", "--radius", 25]
    ask = ["--n", 60, "--mu", 20, "--penalty", 0.001, "--mechanism", "tangent-gaussian"]
    for file, grid in (
        (tmp_path / "a.json", "2:18"),
        (tmp_path / "plan.json", tmp_path / "ages.csv"),
    ):
        run(*plan, "--period", "no", "--grid", grid, *ask, "--out", file)
        made = load_plan(file).statistic
        assert isinstance(made.grid, IntervalGrid)
        np.testing.assert_allclose(made.grid.points, family.grid.points)
        assert made.phi == 0.001
    run("release", tmp_path / "plan.json", tmp_path / "a.csv", "--out", tmp_path / "out")
    run("verify", tmp_path / "out")
    header, value = (tmp_path / "out" / "value.csv").read_text().split()
    assert header == names
    released = np.array([float(cell) for cell in value.split(",")])
    assert np.abs(released - family.records.mean(axis=0)).max() < 10


def table_of_curves(file, curves, missing=""):
    lines = [",".join(f"age{i}" for i in range(curves.shape[1]))]
    lines += [",".join(missing if np.isnan(x) else f"{x:.17g}" for x in row) for row in curves]
    file.write_text("\n".join(lines) + "\n")


def curves_with_gaps(tmp_path, *policy):
    """Return 40 curves with gaps, and a plan for them on disk."""
    family = growth_curves(40, seed=1)
    np.save(tmp_path / "chart.npy", family.template)
    run(
        *("plan", "--space", "functions:17", "--center", tmp_path / "chart.npy", "--radius", 25),
        *("--period", "no", "--grid", "2:18", "--n", 40, "--mu", 1, *policy),
        *("--out", tmp_path / "plan.json"),
    )
    curves = family.records.copy()
    curves[np.random.default_rng(0).random(curves.shape) < 0.2] = np.nan
    return curves


@pytest.mark.parametrize("missing", ["", "NA"])
def test_gaps_of_curves_in_a_table_are_filled(tmp_path, missing):
    curves = curves_with_gaps(tmp_path)
    table_of_curves(tmp_path / "a.csv", curves, missing)
    asked = load_plan(tmp_path / "plan.json").statistic
    read = read_records(tmp_path / "a.csv", asked)
    np.testing.assert_array_equal(read.points, curves)
    assert read.notes == ()
    run("release", tmp_path / "plan.json", tmp_path / "a.csv", "--out", tmp_path / "out")
    told = run("check", tmp_path / "plan.json", tmp_path / "a.csv").output
    count = int(np.isnan(curves).any(axis=1).sum())
    assert f"{count} of 40 curves have gaps" in " ".join(told.split())


def test_gaps_of_curves_in_parquet_are_filled(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    curves = curves_with_gaps(tmp_path)
    asked = load_plan(tmp_path / "plan.json").statistic
    cells = [[None if np.isnan(x) else x for x in row] for row in curves.tolist()]
    wide = {f"age{i}": list(column) for i, column in enumerate(zip(*cells, strict=True))}
    for table in (wide, {"height": cells}):
        parquet.write_table(arrow.table(table), tmp_path / "a.parquet")
        np.testing.assert_array_equal(read_records(tmp_path / "a.parquet", asked).points, curves)


def test_what_is_no_gap_or_too_short_follows_the_policy_in_tables_too(tmp_path):
    curves = curves_with_gaps(tmp_path)
    plan, file, out = tmp_path / "plan.json", tmp_path / "a.csv", tmp_path / "out"
    table_of_curves(file, curves, "two")
    assert "'two' is not a number" in said(run("release", plan, file, "--out", out, code=1))
    curves[3, 3:] = np.nan
    table_of_curves(file, curves)
    assert "fewer than 4 samples" in said(run("release", plan, file, "--out", out, code=1))
    plan.unlink()
    curves_with_gaps(tmp_path, "--invalid", "public")
    run("release", plan, file, "--out", out)


def test_moments_of_curves_by_command(tmp_path):
    family = growth_curves(200, seed=1)
    np.save(tmp_path / "chart.npy", family.template)
    ages = ",".join(f"{age:g}" for age in family.grid.points)
    np.savetxt(tmp_path / "a.csv", family.records, delimiter=",", header=ages, comments="")
    ask = ["plan", "--space", "functions:17", "--center", tmp_path / "chart.npy", "--radius", 25]
    ask += ["--period", "no", "--grid", "2:18", "--n", 200]
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    run(*ask, "--mu", 5, "--statistic", "moments", "--out", plan)
    assert isinstance(load_plan(plan).statistic, FunctionMoments)
    run("release", plan, tmp_path / "a.csv", "--out", out)  # the ages are a header here too
    found = function_moments_of(load_release(out))
    plain = np.cov(family.records.T)
    assert np.linalg.norm(found.covariance - plain) < 0.3 * np.linalg.norm(plain)
    refused = run(*ask, "--mu", 5, "--statistic", "tangent-mean", code=2)
    assert "curves also moments" in said(refused)


def test_registration_and_penalty_of_curves_stand_in_the_plan(tmp_path):
    plan = ["plan", "--space", "functions:24", "--center", "origin", "--radius", 1, "--mu", 1]
    plan += ["--period", "yes"]
    penalties = set()
    for n in (50, 5000):
        file = tmp_path / f"{n}.json"
        run(*plan, "--n", n, "--registration", "elastic", "--out", file)
        made = load_plan(file).statistic
        assert made.registration == "elastic"
        penalties.add(float(made.phi))
    assert len(penalties) == 2  # chosen from n, where left out
    refused = run(*plan, "--n", 50, "--registration", "homologous", code=2)
    assert "by --registration elastic only" in said(refused)


def test_a_circle_is_asked_for_never_assumed(tmp_path):
    plan = ["plan", "--space", "functions:24", "--center", "origin", "--radius", 1, "--n", 50]
    assert "--period yes or no" in said(run(*plan, "--mu", 1, code=2))
    run(*plan, "--mu", 1, "--period", "yes", "--out", tmp_path / "plan.json")
    assert isinstance(load_plan(tmp_path / "plan.json").statistic.grid, CircleGrid)
    assert "--grid goes with --period no" in said(
        run(*plan, "--mu", 1, "--period", "yes", "--grid", "0:1", code=2)
    )
    assert "linear-laplace" in run(*plan, "--epsilon", 1, "--period", "no").stdout
    sphere = ["plan", "--space", "sphere:2", "--center", "0,0,1", "--radius", 0.5, "--n", 50]
    refused = run(*sphere, "--epsilon", 1, "--period", "no", code=2)
    assert "--period goes with --space functions:M" in said(refused)


@pytest.fixture(scope="module")
def faces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faces")
    write_surface(template_face(), folder / "template.obj")
    (folder / "faces").mkdir()
    for i in range(3):
        write_surface(procedural_face(i), folder / "faces" / f"{i}.obj")
    return folder


def test_meshes_with_the_options_of_python(faces, tmp_path):
    gaussian = ["--mu", 50, "--mechanism", "tangent-gaussian"]
    plan = ["plan", "--template", faces / "template.obj", "--n", 3, *gaussian]
    more = ["--registration", "homologous", "--rings", 8, "--penalty", 0.01, "--center", "17"]
    run(*plan, *more, "--out", tmp_path / "plan.json")
    made = load_plan(tmp_path / "plan.json").statistic
    assert (made.registration, made.rings, made.center) == ("homologous", 8, 17)
    assert np.all(np.asarray(made.phi) == 0.01)
    work = ["--workers", 1, "--cache", tmp_path / "cache"]
    run("release", tmp_path / "plan.json", faces / "faces", *work, "--out", tmp_path / "out")
    assert len(list((tmp_path / "cache").glob("*.npy"))) == 3
    assert np.load(tmp_path / "out" / "value.npy").shape == (8, 80, 3)


@pytest.mark.slow
def test_a_radius_that_is_left_out_is_found(faces, tmp_path):
    plan = ["plan", "--template", faces / "template.obj", "--registration", "homologous"]
    plan += ["--rings", 8]
    run(*plan, "--n", 3, "--mu", 200, "--out", tmp_path / "plan.json")
    data = [tmp_path / "plan.json", faces / "faces", "--workers", 1, "--cache", tmp_path / "cache"]
    assert "Found        a tau of" in run("check", *data).stdout
    run("release", *data, "--out", tmp_path / "out")
    run("verify", tmp_path / "out", "--plan", tmp_path / "plan.json")
    assert tau_of(load_release(tmp_path / "out")) < 0.1
    assert (tmp_path / "out" / "value.obj").is_file()
    # An error that is asked for, and groups, need a radius that is known in advance.
    wanted = run(*plan, "--n", 1000, "--error", 0.002, "--kind", "gdp", "--json")
    assert json.loads(wanted.stdout)["derived"]["expected_error"] == pytest.approx(0.002, rel=0.01)
    by_group = run(*plan, "--group", "a=100", "--group", "b=200", "--mu", 1, "--table")
    assert "Composition  parallel" in by_group.stdout
    assert "within 0.022 at area one" in run(*plan, "--n", 20, "--mu", 1, "--table").stdout
    refused = run(*plan, "--n", 1000, "--mu", 1, "--table", code=2)
    assert "--table needs --radius" in said(refused)


def test_the_rule_of_the_centre_is_that_of_template_and_records(tmp_path):
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, 25)])
    slope = np.stack([x, y, 0.3 * np.exp(-((x - 1) ** 2 + y**2))], axis=-1).reshape(-1, 3)
    at = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    write_surface(Surface(slope, faces), tmp_path / "tile.obj")
    plan = ["plan", "--template", tmp_path / "tile.obj", "--n", 50, "--mu", 5, "--radius", 0.05]
    for given, rule in ((["--center", "middle"], "middle"), ([], "most-protruding")):
        run(*plan, *given, "--out", tmp_path / f"{rule}.json")
        made = load_plan(tmp_path / f"{rule}.json").statistic
        assert made.center == rule
        in_the_middle = np.abs(made.template.z).argmin() == x.size // 2
        assert in_the_middle == (rule == "middle")


@pytest.mark.parametrize("center", ["nose", "1,2", "-1", "1.5"])
def test_centres_that_are_none(faces, center):
    plan = ["plan", "--template", faces / "template.obj", "--n", 3, "--mu", 50]
    assert "the number of a vertex" in said(run(*plan, "--center", center, code=2))


def test_a_first_line_of_the_plans_times_is_a_header(tmp_path):
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(f"{x:.6f}" for x in row) for row in rng.normal(0, 0.1, (20, 5)))
    (tmp_path / "timed.csv").write_text(f"2,3,4,5,6\n{rows}\n")
    (tmp_path / "other.csv").write_text(f"1,3,4,5,6\n{rows}\n")
    plan = ["plan", "--space", "functions:5", "--period", "no", "--grid", "2:6", "--center"]
    ask = ["origin", "--radius", 1, "--n", 20, "--mu", 5, "--penalty", 0.01]
    run(*plan, *ask, "--out", tmp_path / "plan.json")
    run("check", tmp_path / "plan.json", tmp_path / "timed.csv")
    run("release", tmp_path / "plan.json", tmp_path / "timed.csv", "--out", tmp_path / "out")
    refused = run(
        *["release", tmp_path / "plan.json", tmp_path / "other.csv", "--out", tmp_path / "no"],
        code=1,
    )
    assert "for 20 records, but there are 21" in said(refused)


def test_a_folder_of_npz_files_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "people").mkdir()
    np.savez(tmp_path / "people" / "a.npz", x=np.zeros(5))
    plan = ["plan", "--space", "euclidean:5", "--center", "origin", "--radius", 1, "--n", 20]
    run(*plan, "--mu", 1, "--out", tmp_path / "plan.json")
    refused = run(
        *["release", tmp_path / "plan.json", tmp_path / "people", "--out", tmp_path / "out"], code=1
    )
    assert "save the array of each subject as npy" in said(refused)
