"""Releases: drawn exactly, from good input only, with a record that says no more than it may."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.noise.entropy import SystemEntropy

POLE = np.array([0.0, 0.0, 1.0])
N = 12


def sphere_plan(mechanism="laplace", epsilon=1.0, n=N):
    ball = dp.Ball(dp.Sphere(2), POLE, np.pi / 8)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism=mechanism)


def spd_plan(n=N):
    ball = dp.Ball(dp.SPD(3), np.eye(3), 2.0)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(4), mechanism="laplace")


def records(space, seed=0):
    v = 0.3 * np.random.default_rng(seed).normal(size=(N, space.dim))
    return space.canonical(space.exp(space.origin(v), space.from_frame(v)))


PLANS = {"sphere": sphere_plan, "ball": lambda: sphere_plan("laplace-ball"), "spd": spd_plan}


@pytest.fixture(params=PLANS)
def plan(request):
    return PLANS[request.param]()


@pytest.fixture
def draws(monkeypatch):
    """Bytes taken from the operating system."""
    taken = []
    real = SystemEntropy.take

    def take(self, count):
        taken.append(count)
        return real(self, count)

    monkeypatch.setattr(SystemEntropy, "take", take)
    return taken


# --- the value --------------------------------------------------------------------------------


def test_release_is_a_point_near_the_mean(plan, draws):
    space = plan.statistic.space
    data = records(space)
    release = plan.release(data)
    assert space.contains(release.value)
    mean = dp.frechet_mean(space, plan.statistic.encode(data)).point
    assert space.dist(mean, release.value) < 30 * plan.scale * space.dim
    assert sum(draws) > 0


def test_two_releases_differ(plan):
    data = records(plan.statistic.space)
    assert not np.array_equal(plan.release(data).value, plan.release(data).value)


def test_release_does_not_touch_its_input(plan):
    data = records(plan.statistic.space)
    data[0] = plan.statistic.space.exp(
        plan.statistic.ball.center,
        1.5 * plan.statistic.space.log(plan.statistic.ball.center, data[0]),
    )
    before = data.copy()
    plan.release(data)
    assert np.array_equal(data, before)


@pytest.mark.parametrize("mechanism", ["laplace", "laplace-ball"])
def test_projection_stays_in_the_ball(mechanism):
    plan = sphere_plan(mechanism, epsilon=0.2)
    ball = plan.statistic.ball
    # All records at the edge, and much noise: half of the draws would fall outside.
    edge = np.array([[np.sin(np.pi / 8), 0.0, np.cos(np.pi / 8)]] * N)
    released = [plan.release(edge, project=True) for _ in range(10)]
    assert all(ball.space.dist(ball.center, r.value) <= ball.radius for r in released)
    assert all(r.manifest["projected"] for r in released)
    if mechanism == "laplace":
        free = [plan.release(edge).value for _ in range(40)]
        assert np.max(ball.space.dist(ball.center, np.array(free))) > ball.radius


def test_summary_takes_a_point():
    plan = dp.plan(dp.Summary(dp.SPD(2), 0.01), budget=dp.Pure(1))
    release = plan.release(np.diag([1.0, 2.0]))
    assert plan.statistic.space.dist(np.diag([1.0, 2.0]), release.value) < 1.0
    assert "n =" not in str(plan)


def test_summary_has_no_ball_to_project_into(draws):
    plan = dp.plan(dp.Summary(dp.SPD(2), 0.01), budget=dp.Pure(1))
    with pytest.raises(ValueError, match="public ball"):
        plan.release(np.eye(2), project=True)
    assert draws == []


# --- bad input --------------------------------------------------------------------------------


def spoiled(data, index, value):
    data = np.array(data)
    data[index] = value
    return data


SPHERE, MATRICES = records(dp.Sphere(2)), records(dp.SPD(3))
BAD_RECORDS = {
    "nan": (sphere_plan, spoiled(SPHERE, (3, 1), np.nan)),
    "infinite": (sphere_plan, spoiled(SPHERE, (3, 1), np.inf)),
    "nan in a matrix": (spd_plan, spoiled(MATRICES, (3, 1, 1), np.nan)),
    "wrong shape": (sphere_plan, SPHERE[:, :2]),
    "axes swapped": (sphere_plan, SPHERE.T),
    "one point for three": (lambda: sphere_plan(n=3), SPHERE[0]),
    "one matrix for three": (lambda: spd_plan(n=3), MATRICES[0]),
    "an axis too many": (sphere_plan, SPHERE[:, None]),
    "no records": (sphere_plan, SPHERE[:0]),
    "empty list": (sphere_plan, []),
    "text": (sphere_plan, [["a", "b", "c"]] * N),
    "nothing": (sphere_plan, None),
    "ragged": (sphere_plan, [[0.0, 0.0, 1.0]] * (N - 1) + [[1.0]]),
    "off the sphere": (sphere_plan, 1.1 * SPHERE),
    "not symmetric": (spd_plan, spoiled(MATRICES, (2, 0, 1), 5.0)),
    "indefinite": (spd_plan, spoiled(MATRICES, 2, np.diag([1.0, -1.0, 1.0]))),
    "singular": (spd_plan, spoiled(MATRICES, 2, np.diag([1.0, 0.0, 1.0]))),
    "too few": (sphere_plan, SPHERE[:-1]),
    "too many": (spd_plan, np.concatenate([MATRICES, MATRICES[:1]])),
}


@pytest.mark.parametrize("case", BAD_RECORDS)
def test_bad_records_are_one_clear_sentence_and_draw_nothing(case, draws):
    make_plan, data = BAD_RECORDS[case]
    plan = make_plan()
    with pytest.raises(dp.errors.GeomdpError, match=r"^[A-Z].*\.$") as caught:
        plan.release(data)
    assert len(str(caught.value)) < 300
    assert draws == []


def test_wrong_number_of_records_names_both_numbers(draws):
    with pytest.raises(ValueError, match=rf"for {N} records, but there are {N - 1}"):
        sphere_plan().release(SPHERE[:-1])
    assert draws == []


@pytest.mark.parametrize("point", [np.array([0.0, 0.0, 2.0]), SPHERE, np.full(3, np.nan)])
def test_bad_summary_draws_nothing(point, draws):
    plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1))
    with pytest.raises(dp.errors.GeomdpError, match=r"^[A-Z].*\.$"):
        plan.release(point)
    assert draws == []


# --- the manifest -----------------------------------------------------------------------------


def test_manifest_depends_on_the_data_through_the_value_alone(plan):
    space = plan.statistic.space
    spread, equal = (
        plan.release(records(space, 1)),
        plan.release(np.array([records(space, 2)[0]] * N)),
    )
    a, b = dict(spread.manifest), dict(equal.manifest)
    assert a.pop("value") != b.pop("value")
    assert a == b


def test_manifest_says_what_a_reviewer_needs(plan):
    release = plan.release(records(plan.statistic.space))
    assert release.manifest["plan"] == plan.to_json()
    assert release.manifest["entropy"] == "operating system"
    assert release.manifest["comparison"] is False
    assert release.guarantee == plan.guarantee
    assert release.plan.scale == plan.scale
    json.dumps(release.manifest)
    assert "array" not in repr(release.manifest["plan"])


# --- files ------------------------------------------------------------------------------------


def test_release_survives_its_folder(plan, tmp_path):
    release = plan.release(records(plan.statistic.space))
    folder = tmp_path / "deep" / "mean"
    release.save(folder)
    again = dp.load_release(folder)
    assert np.array_equal(again.value, release.value)
    assert again.manifest == release.manifest
    assert {"value.npy", "manifest.json"} <= {path.name for path in folder.iterdir()}
    assert [path.name for path in folder.parent.iterdir()] == ["mean"]


def test_existing_folder_is_left_alone(tmp_path):
    release = sphere_plan().release(SPHERE)
    (tmp_path / "mean").mkdir()
    (tmp_path / "mean" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="exists"):
        release.save(tmp_path / "mean")
    assert [path.name for path in (tmp_path / "mean").iterdir()] == ["notes.txt"]


def test_interrupted_save_leaves_nothing(tmp_path, monkeypatch):
    release = sphere_plan().release(SPHERE)

    def full(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("geomdp.plans.release.json.dumps", full)
    with pytest.raises(OSError, match="disk full"):
        release.save(tmp_path / "mean")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "mean"
    sphere_plan().release(SPHERE).save(folder)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    return Path(shutil.copytree(saved, tmp_path / "mean"))


def rewrite(folder, change):
    file = folder / "manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    change(document)
    file.write_text(json.dumps(document), encoding="utf-8")


def other_value(folder):
    np.save(folder / "value.npy", POLE)


def other_array(folder):
    name = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["value"]["file"]
    np.save(folder / name, POLE)


TAMPERINGS = {
    "value": other_value,
    "array": other_array,
    "both": lambda f: (other_value(f), other_array(f)),
    "value lost": lambda f: (f / "value.npy").unlink(),
    "value empty": lambda f: (f / "value.npy").write_bytes(b""),
    "value garbage": lambda f: (f / "value.npy").write_bytes(b"\x93NUMPY garbage"),
    "manifest lost": lambda f: (f / "manifest.json").unlink(),
    "manifest empty": lambda f: (f / "manifest.json").write_text("", encoding="utf-8"),
    "manifest a list": lambda f: (f / "manifest.json").write_text("[]", encoding="utf-8"),
    "manifest not text": lambda f: (f / "manifest.json").write_bytes(b"\xff\xfe\xff"),
    "value not named": lambda f: rewrite(f, lambda d: d.pop("value")),
    "path outside": lambda f: (
        shutil.copy(f / "value.npy", f.parent / "outside.npy"),
        rewrite(f, lambda d: d["value"].update(file="../outside.npy")),
    ),
    "no plan": lambda f: rewrite(f, lambda d: d.pop("plan")),
    "no folder": lambda f: [p.unlink() for p in f.iterdir()],
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampered_release_is_noticed(tampering, folder):
    TAMPERINGS[tampering](folder)
    with pytest.raises(dp.errors.GeomdpError):
        dp.load_release(folder)


def test_altered_plan_inside_a_release_is_noticed(folder):
    rewrite(folder, lambda d: d["plan"]["budget"].update(epsilon="0.9"))
    with pytest.raises(dp.errors.GeomdpError, match="does not follow"):
        _ = dp.load_release(folder).plan
