"""Small examples of what stands inside the room, by hand."""

import numpy as np

from geomdp.audit.claims import Claim, probability_bounds
from geomdp.audit.events import as_features, best_event, blind_scores
from geomdp.audit.findings import judged
from geomdp.audit.floats import lowest_bits
from geomdp.audit.hostile import ENTRIES, OBJECTS, Path, held, odd_records, written
from geomdp.audit.page import audit_html
from geomdp.audit.records import outside, quiet_copy
from geomdp.audit.run import claim_of
from geomdp.audit.stages import groups_audit, stage_plans
from geomdp.spaces import Ball


def test_claim():
    claim = Claim("epsilon", 1.0)
    assert bool(claim.lower_bound(np.array(700), np.array(300), 1000, 0.01) < np.log(7 / 3))


def test_probability_bounds():
    assert (
        [bound.round(3).tolist() for bound in probability_bounds(np.array([0, 50]), 100, 0.025)]
    ) == [[0.0, 0.398], [0.036, 0.602]]


def test_as_features():
    assert (as_features(np.array([[1 + 2j]])).tolist()) == [[1.0, 2.0]]


def test_best_event():
    rng = np.random.default_rng(0)
    tested = best_event(Claim("mu", 1.0), rng.normal(1, 1, 4000), rng.normal(0, 1, 4000), 1e-4)
    assert 0.6 < tested.bound < 1.0


def test_blind_scores():
    rng = np.random.default_rng(0)
    wide, narrow = rng.normal(size=(4000, 2)), rng.normal(size=(4000, 2)) / 5
    scores = blind_scores(wide, narrow)
    assert bool(np.mean(scores[0][2000:] > 0) > 0.5 > np.mean(scores[1][2000:] > 0))


def test_judged():
    assert (judged(False)) == "fail"


def test_lowest_bits():
    assert (lowest_bits(np.array([1.0, 0.75, 0.0])).tolist()) == [0, -2, 1100]


def test_held():
    from geomdp_papers.point_mean import PointMean

    mean = PointMean(np.zeros((2, 2)), 1.0)
    assert ([type(chunk).__name__ for chunk in held(mean, np.zeros((3, 2, 2)), None)]) == [
        "list",
        "ndarray",
    ]


def test_odd_records():
    assert len(list(odd_records(np.ones(3)))) == len(OBJECTS) + 2 + len(ENTRIES)


def test_written():
    import tempfile

    from geomdp_papers.point_mean import PointMean

    mean, folder = PointMean(np.zeros((2, 2)), 1.0), Path(tempfile.mkdtemp())
    assert (
        [path.name for path in written(folder, mean, np.zeros((3, 2, 2)), [1.0, None, 0.0, 1.0])]
    ) == ["records.csv", "lists.parquet", "columns.parquet"]


def test_audit_html():
    assert (audit_html([]).splitlines()[0]) == "<!doctype html>"


def test_outside():
    import geomdp as dp

    ball = Ball(dp.Euclidean(1), np.zeros(1), 1.0)
    assert (outside(ball, np.array([[1.0], [1.0 + 1e-15], [np.nan]]))) == 2


def test_quiet_copy():
    import geomdp as dp

    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    copy = quiet_copy(dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(1)))
    assert (copy.mechanism, copy.scale < 1e-7) == ("wrapped-gaussian", True)


def test_claim_of():
    import geomdp as dp

    assert (
        claim_of(dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), mechanism="laplace"))
    ) == "ε = 1, pure, where one record is replaced"


def test_groups_audit():
    import geomdp as dp

    ball = dp.Ball(dp.Euclidean(2), [0, 0], 1.0)
    made = dp.plan(dp.Moments(ball), n={"a": 9, "b": 9}, budget=dp.Pure(1), unit=dp.Unit.person())
    assert (round(groups_audit(made).findings[1].numbers["loss"], 5)) == 1.0


def test_stage_plans():
    import geomdp as dp

    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    made = dp.plan(dp.Refined(dp.Moments(prior)), n=500, budget=dp.GDP(1))
    assert ([one.mechanism for one in stage_plans(made)]) == [
        "exponential",
        "tangent-gaussian",
        "exponential",
        "tangent-gaussian",
    ]
