"""Nothing fails after the first random bit: a draw that is made again follows another law."""

import errno
import json
import socket
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.release import Release
from geomdp.releases.verification import verify
from geomdp.report import report_html
from geomdp.report.pictures.scene import public_point
from geomdp.serial import array_to_json
from geomdp.spaces.ball import project_into
from geomdp.spaces.specs import space_from_spec
from geomdp.statistics import TangentMean

pytestmark = pytest.mark.usefixtures("with_reports")


def mean_plan(spec, radius, n, budget, mechanism, statistic=dp.FrechetMean):
    space = space_from_spec(spec)
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), radius)
    return dp.plan(statistic(ball), n=n, budget=budget, mechanism=mechanism)


def noisy_plan():
    """As wide as the Laplace law on SPD(2) may be: a fifth of its values are nearly singular."""
    return mean_plan("spd:2", 2.0, 10, dp.Pure("0.32"), "laplace")


def public_records(plan):
    point = np.asarray(public_point(plan))
    return np.repeat(point[None], plan.n, axis=0) if plan.statistic.needs_n else point


class Extremes:
    """Random bytes whose numbers often begin with 96 zeros or ones: draws far out in every tail."""

    def __init__(self, seed, zeros, ones):
        self.generator = np.random.default_rng(seed)
        self.shares = (zeros, zeros + ones)
        self.taken = 0

    def take(self, count):
        self.taken += count
        out = bytearray(self.generator.bytes(count))
        for start in range(0, count, 16):
            chosen = self.generator.random()
            length = min(12, count - start)
            if chosen < self.shares[0]:
                out[start : start + length] = bytes(length)
            elif chosen < self.shares[1]:
                out[start : start + length] = b"\xff" * length
        return bytes(out)


EXTREMES = {"tails": (0, 0.7, 0.0), "mixed": (1, 0.3, 0.3)}


@pytest.fixture(params=EXTREMES)
def extremes(request, monkeypatch):
    source = Extremes(*EXTREMES[request.param])
    monkeypatch.setattr(SystemEntropy, "take", lambda _, count: source.take(count))
    return source


GAUSS, PURE = dp.GDP("0.5"), dp.Pure("0.5")
PLANS = {
    "spd laplace": noisy_plan,
    "spd wrapped": lambda: mean_plan("spd:2", 2.0, 10, PURE, "wrapped-laplace"),
    "spd ball": lambda: mean_plan("spd:2", 1.0, 20, dp.Pure(4), "laplace-ball"),
    "spd kng": lambda: mean_plan("spd:2", 0.5, 20, dp.Pure(4), "kng"),
    "spd tangent": lambda: mean_plan("spd:2", 1.0, 10, GAUSS, "tangent-gaussian", TangentMean),
    "spd ambient": lambda: mean_plan("spd:2", 1.0, 10, PURE, "ambient-laplace"),
    "spd ambient gauss": lambda: mean_plan("spd:2", 1.0, 10, GAUSS, "ambient-gaussian"),
    "log laplace": lambda: mean_plan("spd:2:log-euclidean", 2.0, 4, dp.Pure("0.001"), "laplace"),
    "log gauss": lambda: mean_plan("spd:2:log-euclidean", 2.0, 4, dp.GDP("0.001"), "auto"),
    "hyperbolic laplace": lambda: mean_plan("hyperbolic:2", 2.0, 10, dp.Pure("0.4001"), "laplace"),
    "hyperbolic wrapped": lambda: mean_plan("hyperbolic:2", 1.0, 20, GAUSS, "wrapped-gaussian"),
    "hyperbolic gauss": lambda: mean_plan("hyperbolic:2", 1.0, 20, GAUSS, "riemannian-gaussian"),
    "sphere laplace": lambda: mean_plan("sphere:2", 0.5, 2, dp.Pure("0.01"), "laplace"),
    "sphere wrapped": lambda: mean_plan("sphere:2", 0.5, 10, PURE, "wrapped-laplace"),
    "sphere gauss": lambda: mean_plan("sphere:2", 0.5, 20, GAUSS, "riemannian-gaussian"),
    "shapes laplace": lambda: mean_plan("planar-shapes:4", 0.3, 10, PURE, "laplace"),
    "shapes pointwise": lambda: mean_plan("planar-shapes:4", 0.3, 10, PURE, "pointwise-laplace"),
    "flat laplace": lambda: mean_plan("euclidean:2", 1e90, 2, dp.Pure("1e-60"), "laplace"),
    "flat gauss": lambda: mean_plan("euclidean:2", 1e90, 2, dp.GDP("1e-60"), "tangent-gaussian"),
}


@pytest.mark.parametrize("name", PLANS)
def test_extreme_draws_are_released(name, extremes):
    plan = PLANS[name]()
    prepared = plan.prepare(public_records(plan))
    assert extremes.taken == 0
    # A caller may have told NumPy to raise; pytest makes every warning an error.
    with np.errstate(all="raise"):
        value = prepared.draw().value
    assert extremes.taken > 0
    ball = plan.statistic.ball
    moved = project_into(ball, value)
    assert ball.space.dist(ball.center, moved) <= ball.radius


@pytest.mark.parametrize("name", ["spd laplace", "hyperbolic laplace", "flat laplace", "log gauss"])
def test_extreme_draws_are_saved_and_verified(name, extremes, tmp_path):
    plan = PLANS[name]()
    plan.release(public_records(plan), folder=tmp_path / "out")
    assert extremes.taken > 0
    verdict = verify(tmp_path / "out")
    assert verdict.verified, verdict.problems


def test_projection_never_raises_where_it_did_in_a_quarter_of_all_releases():
    plan = noisy_plan()
    prepared = plan.prepare(public_records(plan), project=True)
    ball = plan.statistic.ball
    values = np.array([prepared.draw().value for _ in range(25)])
    assert np.all(ball.space.dist(ball.center, values) <= ball.radius)


def test_noisy_releases_are_saved_where_every_one_failed(tmp_path):
    plan = noisy_plan()
    for i in range(2):
        plan.release(public_records(plan)).save(tmp_path / str(i))
        assert verify(tmp_path / str(i)).verified


# --- a total projection -----------------------------------------------------------------------

HOSTILE = {
    "spd:2": [
        np.full((2, 2), np.nan),
        np.diag([np.inf, 1.0]),
        np.diag([1e300, 1e-300]),
        np.diag([1e-320, 1.0]),
        np.ones((2, 2)),
        -np.eye(2),
        np.array([[1.0, 9.0], [0.0, 1.0]]),
    ],
    "hyperbolic:2": [np.array([1e300, 0.0, 1e300]), np.array([np.inf, 0.0, np.inf]), np.zeros(3)],
    "sphere:2": [np.zeros(3), np.array([0.0, 0.0, -1.0]), np.full(3, np.nan), 1e300 * np.ones(3)],
    "euclidean:2": [np.array([1e300, -1e300]), np.array([np.inf, np.nan]), np.array([1e-320, 0])],
    "planar-shapes:4": [np.zeros(4, complex), np.full(4, np.nan + 0j), 1e300 * np.ones(4, complex)],
}


@pytest.mark.parametrize("spec", HOSTILE)
def test_projection_is_total(spec):
    space = space_from_spec(spec)
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), 0.3)
    for value in HOSTILE[spec]:
        with np.errstate(all="raise"):
            moved = project_into(ball, value)
        assert moved.shape == space.point_shape
        assert ball.space.dist(ball.center, moved) <= ball.radius


@pytest.mark.parametrize("wrong", [np.nan, 1e9])
def test_projection_trusts_no_clip(wrong, monkeypatch):
    ball = dp.Ball(dp.Euclidean(2), [1.0, 2.0], 0.5)
    monkeypatch.setattr(dp.Ball, "clip", lambda _, points: np.full_like(points, wrong))
    assert project_into(ball, np.zeros(2)).tolist() == [1.0, 2.0]


def test_projection_leaves_a_point_inside_bit_for_bit():
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    value = np.array([[1.1, 0.1], [0.1, 0.9]])
    assert np.array_equal(project_into(ball, value), value)


# --- reports of extreme values ----------------------------------------------------------------


def with_value(plan, value):
    manifest = dict(plan.release(public_records(plan)).manifest)
    return Release(plan, value, {**manifest, "value": array_to_json(value)})


EXTREME_VALUES = {
    "spd:2": [1e300 * np.eye(2), np.diag([1e300, 1e-300]), np.ones((2, 2))],
    "spd:3": [np.diag([1e300, 1e-300, 1.0]), np.diag([1e150, 1.0, -1e-9])],
    "hyperbolic:2": [np.array([1e300, 0.0, 1e300]), np.full(3, np.inf)],
    "euclidean:3": [np.array([1e300, -1e300, 0.0])],
}


@pytest.mark.parametrize("spec", EXTREME_VALUES)
def test_reports_of_extreme_values_are_pages(spec):
    plan = mean_plan(spec, 0.5, 50, dp.Pure(1), "laplace")
    for value in EXTREME_VALUES[spec]:
        text = report_html(with_value(plan, value))
        assert "<h2>The guarantee</h2>" in text
        assert "Error" not in text
        assert "Traceback" not in text


def test_reports_of_ordinary_values_keep_their_picture():
    plan = mean_plan("spd:2", 0.5, 50, dp.Pure(4), "laplace")
    text = report_html(plan.release(public_records(plan)))
    assert "beyond what a picture can show" not in text
    assert "The released value (bold)" in text


def test_a_broken_report_does_not_lose_the_release(monkeypatch, tmp_path):
    def broken(*_):
        raise RuntimeError("secret 12345678")

    monkeypatch.setattr("geomdp.report.release_pages.report_html", broken)
    monkeypatch.setattr("geomdp.report.release_pages.groups_html", broken)
    plan = mean_plan("sphere:2", 0.5, 20, dp.Pure(1), "laplace")
    plan.release(public_records(plan)).save(tmp_path / "one")
    records = np.repeat(public_records(plan), 2, axis=0)
    groups(20).release(dp.Records(records, group=list("ab") * 20), folder=tmp_path / "two")
    for folder in ("one", "two"):
        assert verify(tmp_path / folder).verified
        page = (tmp_path / folder / "report.html").read_text(encoding="utf-8")
        assert "manifest.json" in page
        assert "secret" not in page


# --- everything else is settled before --------------------------------------------------------


@pytest.fixture
def no_draw(monkeypatch):
    def take(*_):
        raise AssertionError("drawn before all was settled")

    monkeypatch.setattr(SystemEntropy, "take", take)


def groups(size):
    sizes = {"a": size, "b": size}
    statistic = small_plan().statistic
    return dp.plan(statistic, n=sizes, budget=dp.Pure(1), mechanism="laplace")


def small_plan():
    return mean_plan("sphere:2", 0.5, 20, dp.Pure(1), "laplace")


def test_a_folder_that_cannot_be_made_is_refused_before_the_draw(no_draw, tmp_path):
    plan = small_plan()
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    impossible = [tmp_path / "taken", tmp_path / "file" / "out", tmp_path / ("x" * 300)]
    for folder in impossible:
        with pytest.raises((dp.errors.GeomdpError, OSError)):
            plan.release(public_records(plan), folder=folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]


def test_a_full_disk_is_noticed_before_the_draw(no_draw, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    plan = small_plan()
    with pytest.raises(OSError, match="No space"):
        plan.release(public_records(plan), folder=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_groups_is_settled_before_the_draw(no_draw, tmp_path):
    plan = small_plan()
    records = dp.Records(public_records(plan), group=["a", "b"] * 10)
    (tmp_path / "taken").mkdir()
    with pytest.raises(dp.errors.GeomdpError, match="exists"):
        groups(10).release(records, folder=tmp_path / "taken")


def test_groups_are_ready_as_a_whole_before_its_first_draw(no_draw):
    """The second group's bad record is found before the first group is drawn."""
    plan = small_plan()
    records = public_records(plan)
    records[-1] = np.nan
    with pytest.raises(dp.errors.InvalidRecordError):
        groups(10).release(dp.Records(records, group=["a"] * 10 + ["b"] * 10))


def test_a_plan_that_cannot_be_written_down_is_refused_before_the_draw(no_draw):
    class Oddity(dp.FrechetMean):
        def to_json(self):
            return {**super().to_json(), "note": {1, 2}}

    plan = dp.plan(
        Oddity(small_plan().statistic.ball), n=20, budget=dp.Pure(1), mechanism="laplace"
    )
    with pytest.raises(dp.errors.GeomdpError, match="cannot be written down"):
        plan.release(public_records(plan))


def test_a_name_taken_meanwhile_does_not_lose_the_release(tmp_path, monkeypatch):
    plan, target = small_plan(), tmp_path / "out"
    real = SystemEntropy.take

    def take(self, count):
        target.mkdir(exist_ok=True)
        return real(self, count)

    monkeypatch.setattr(SystemEntropy, "take", take)
    with pytest.raises(dp.errors.GeomdpError, match="do not start again") as caught:
        plan.release(public_records(plan), folder=target)
    kept = Path(str(caught.value).split("'")[3])
    assert verify(kept).verified


def test_folder_and_value_are_the_same_release(tmp_path):
    plan = small_plan()
    release = plan.release(public_records(plan), folder=tmp_path / "out")
    assert np.array_equal(dp.load_release(tmp_path / "out").value, release.value)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# --- texts in published files -----------------------------------------------------------------


@pytest.mark.parametrize("make", [noisy_plan, small_plan])
def test_no_path_host_or_failure_in_a_published_file(make, tmp_path):
    plan = make()
    folder = tmp_path / "out"
    plan.release(public_records(plan), folder=folder)
    words = [str(tmp_path), str(Path.home()), socket.gethostname(), "Traceback", "Error("]
    for file in folder.iterdir():
        content = file.read_bytes()
        assert [word for word in words if len(word) > 3 and word.encode() in content] == []
    json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def test_extreme_draws_of_regressions_are_released_saved_and_read(extremes, tmp_path):
    ball = dp.Ball(dp.Hyperbolic(2), [0.0, 0.0, 1.0], 1.0)
    plan = dp.plan(dp.Regression(ball, {"age": (20, 90)}), n=10, budget=dp.Pure("0.001"))
    data = dp.Records(np.tile(ball.center, (10, 1)), covariates={"age": np.full(10, 50.0)})
    prepared = plan.prepare(data)
    assert extremes.taken == 0
    with np.errstate(all="raise"):
        release = prepared.draw()
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out").verified
    assert "The curve" in (tmp_path / "out" / "report.html").read_text()
    moved = float(ball.space.dist(ball.center, release.predict(age=90)))
    assert moved <= ball.radius * (1 + 1e-9)
    assert release.regression.band(age=90).radius <= 2 * ball.radius
    assert release.regression.describe()
