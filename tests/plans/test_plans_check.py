"""Check before you spend: all that a curator should know, and nothing is spent or published."""

import logging

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import PoweredExponential
from geomdp.errors import GeomdpError
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.checking import EYES_ONLY
from geomdp.statistics import TangentMean
from geomdp_papers.point_mean import PointMean

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)


def directions(count, spread=0.1, seed=0):
    x = np.array([0.0, 0.0, 1.0]) + spread * np.random.default_rng(seed).standard_normal((count, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def plan(n=20, **options):
    options = {"budget": dp.Pure(1), "mechanism": "laplace", **options}
    return dp.plan(dp.FrechetMean(BALL), n=n, **options)


@pytest.fixture(autouse=True)
def _no_noise(monkeypatch):
    def refuse(*_):
        raise AssertionError("a check drew noise")

    monkeypatch.setattr(SystemEntropy, "__init__", refuse)


def test_records_in_order_raise_no_concern():
    found = plan().check(directions(20))
    assert found.passed
    assert found.concerns == ()
    assert str(found).startswith(EYES_ONLY)
    assert "may be published, or used to change the ball" in EYES_ONLY


def test_the_number_is_a_public_fact_that_refuses():
    found = plan().check(directions(19))
    assert not found.passed
    assert "19 records; the plan is for 20" in found.facts[0]
    with pytest.raises(dp.errors.GeomdpError) as refused:
        plan().prepare(directions(19))
    assert found.refusal == str(refused.value)


@pytest.mark.parametrize(("policy", "refused"), [("refuse", True), ("public", False)])
def test_invalid_records_are_named_by_row_whatever_the_policy(policy, refused):
    records = directions(20)
    records[3], records[7, 1] = [0, 0, 2], np.nan
    found = plan(invalid=policy).check(records)
    assert found.passed is not refused
    assert "record 4 is invalid" in found.concerns[0]
    assert "record 8 is invalid" in found.concerns[1]


def test_rows_count_over_chunks(monkeypatch):
    for walk in ("chunks", "pieces"):
        monkeypatch.setattr(f"geomdp.sources.records.Records.{walk}.__defaults__", (6,))
    records = directions(20)
    records[17] = np.nan
    records[18] = records[1]
    found = plan(invalid="public").check(records)
    assert "record 18 " in found.concerns[0]
    assert "records 2 and 19 " in found.concerns[1]


def test_many_invalid_records_are_counted():
    records = directions(60)
    records[:50] = np.nan
    concerns = plan(n=60, invalid="public").check(records).concerns
    assert "30 more records are invalid, 50 in all" in concerns


def test_not_one_valid_record_is_said_first():
    found = plan(invalid="public").check(np.full((20, 3), np.nan))
    assert found.concerns[0].startswith("not one record is valid")


def test_the_share_that_would_be_clipped():
    records = directions(20)
    records[:3] = [1, 0, 0]
    concerns = plan().check(records).concerns
    assert "3 of 20 records (15.0%) would be clipped" in concerns
    assert not any("units" in concern for concern in concerns)


def test_units_that_look_wrong():
    ball = dp.Ball(dp.Euclidean(2), center=[0.0, 0.0], radius=0.2)
    made = dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(1))
    records = 40 + np.random.default_rng(0).random((20, 2))
    concerns = made.check(records).concerns
    assert "all records lie outside the ball, the nearest 28" in concerns[0]
    assert "units" in concerns[0]


def test_equal_records_are_named():
    records = directions(20)
    records[11] = records[4]
    assert plan().check(records).concerns == ("records 5 and 12 hold the same numbers",)


def test_single_numbers_may_be_equal():
    """Readings one a row, or heights to a centimetre: thousands are equal and nothing is wrong."""
    readings = dp.Records(np.full((60, 1), 100.0), person=np.repeat(["a", "b", "c"], 20))
    made = dp.plan(dp.DistributionMean(40, 400), n=3, budget=dp.GDP(1), unit=dp.Unit.person())
    assert not any("same numbers" in text for text in made.check(readings).concerns)
    rows = [[100.0, 90.0]] * 3
    made = dp.plan(dp.DistributionMean(40, 400), n=3, budget=dp.GDP(1))
    assert "same numbers" in made.check(rows).concerns[0]


def test_groups_and_their_sizes():
    made = plan(n={"a": 12, "b": 8})
    found = made.check(dp.Records(directions(20), group=["a"] * 12 + ["c"] * 8))
    assert not found.passed
    assert found.facts[1:] == (
        "group 'a': 12 records; the plan says 12 records",
        "group 'b': 0 records; the plan says 8 records",
        "group 'c': 8 records; is not in the plan",
    )
    assert made.check(dp.Records(directions(20), group=["a"] * 12 + ["b"] * 8)).passed


def test_persons():
    made = plan(unit=dp.Unit.person(max_records=2), budget=dp.Pure(2))
    found = made.check(dp.Records(directions(20), person=["p"] * 5 + [f"q{i}" for i in range(15)]))
    assert found.passed
    assert found.facts[1:] == (
        "16 persons, at most 5 records each",
        "3 records beyond a person's first 2, which would not count",
    )


def test_persons_who_count_once():
    made = plan(unit=dp.Unit.person())
    records = directions(40)
    records[0] = [1, 0, 0]  # beside one within the ball: their mean is what may be clipped
    found = made.check(dp.Records(records, person=np.arange(40) // 2))
    assert found.passed
    assert found.facts[0] == "40 records; the plan is for 20 persons"
    assert found.concerns == (
        "1 of 40 records (2.5%) lie outside the ball; what would be clipped is the mean of a "
        "person's",
    )
    with pytest.raises(GeomdpError, match="number of persons n must be public"):
        plan(n=1, unit=dp.Unit.person())


def test_a_wrong_shape_is_refused_and_nothing_else_is_said():
    found = plan().check(np.zeros((20, 4)))
    assert not found.passed
    assert found.concerns == ()


def test_a_summary_is_one_point():
    made = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1))
    assert made.check([0.0, 0.0, 1.0]).passed
    assert not made.check([0.0, 0.0, 2.0]).passed


def test_stages_are_checked_on_the_prior():
    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.2)
    made = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=200, budget=dp.Pure(2))
    found = made.check(directions(200, spread=0.3))
    assert found.passed
    assert any("would be clipped" in concern for concern in found.concerns)


def curves(n=4):
    return np.random.default_rng(0).standard_normal((n, 40)) * 0.01


def scattered(n=4):
    return np.random.default_rng(0).standard_normal((n, 5, 3)) * 0.01


def faces(n=4):
    from geomdp.surfaces import SurfaceMean, make_template, template_face

    mean = SurfaceMean(make_template(template_face()), rings=6, points=16)
    noise = 0.01 * np.random.default_rng(0).standard_normal((n, *mean.template_curves.shape))
    return mean, mean.template_curves + noise


STATISTICS = {
    "tangent-mean": lambda: (TangentMean(BALL), directions(4, 0.02)),
    "point-mean": lambda: (PointMean(np.zeros((5, 3)), 0.5), scattered()),
    "each-point": lambda: (PointMean(np.zeros((5, 3)), 0.5, "each"), scattered()),
    "function-mean": lambda: (
        dp.FunctionMean(np.zeros(40), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01),
        curves(),
    ),
    "surface-mean": faces,
    "shaped": lambda: (
        TangentMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5, form=np.diag([1.0, 0.5]))),
        directions(4, 0.02),
    ),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_answers_by_one_method_as_it_clips(name):
    """A record is called clipped just where what is encoded is not what was given."""
    statistic, records = STATISTICS[name]()
    public = statistic.public_record
    if name in ("tangent-mean", "shaped"):
        far = np.array([np.sin(0.9), 0.0, np.cos(0.9)])
    else:
        far = public + 60 * (records[0] - public)
    mixed = np.concatenate([records[:2], far[None], np.full_like(records[:1], np.nan)])
    found = statistic.check(mixed)
    assert found.count == 4
    assert list(found.invalid) == [3]
    assert found.clipped.tolist() == [False, False, True, False]
    norms = np.linalg.norm(statistic.admit(mixed).records.reshape(4, -1), axis=1)
    if name != "each-point":
        assert norms[2] == pytest.approx(statistic.radius)
        expected = norms[:2] / statistic.radius
        assert found.distances[:2] == pytest.approx(expected, rel=1e-6)


def test_all_meshes_failing_is_told():
    mean, _ = faces()
    made = dp.plan(mean, n=2, budget=dp.GDP(1))
    found = made.check(["no-such-mesh.obj", "neither.obj"])
    assert found.passed
    assert found.concerns[0].startswith("not one record is valid")
    assert "template" in found.concerns[0]


def test_a_release_says_nothing_of_what_only_a_check_tells(caplog):
    """The log of a release may be published with it."""
    records = directions(20)
    records[3] = np.nan
    with caplog.at_level(logging.DEBUG):
        plan(invalid="public").prepare(records)
    assert caplog.text == ""
