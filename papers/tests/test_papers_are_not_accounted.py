"""Only proved mechanisms are accounted: comparisons have no mu, no event and no groups."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import plan_from_json
from geomdp_papers.point_mean import PointMean

SPD = dp.FrechetMean(dp.Ball(dp.SPD(2), np.eye(2), 0.5))
SHAPES = dp.FrechetMean(dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.2))
POINTS = PointMean(np.zeros((4, 3)), 1.0)
COMPARISONS = {
    "ambient-laplace": (SPD, dp.Pure(1)),
    "ambient-gaussian": (SPD, dp.GDP(1)),
    "kng-metropolis": (SPD, dp.Pure(1)),
    "laplace-metropolis": (SPD, dp.Pure(1)),
    "pointwise-laplace": (SHAPES, dp.Pure(1)),
    "pointwise-laplace-unaligned": (SHAPES, dp.Pure(1)),
    "pointwise-gaussian": (POINTS, dp.GDP(1)),
}


def test_every_comparison_is_tried():
    assert set(COMPARISONS) == {m.name for m in MECHANISMS.values() if m.comparison}


@pytest.fixture(params=COMPARISONS)
def comparison(request):
    statistic, budget = COMPARISONS[request.param]
    return dp.plan(statistic, n=100, budget=budget, mechanism=request.param)


def test_comparisons_have_no_mu_and_no_event(comparison):
    assert not comparison.is_private
    for name in ("cost", "gdp", "dp_event"):
        with pytest.raises(dp.errors.MechanismRefusedError, match=r"comparison.*\.$"):
            getattr(comparison, name)


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_keep_no_promise_to_groups(name):
    statistic, budget = COMPARISONS[name]
    with pytest.raises(dp.errors.MechanismRefusedError, match=r"comparison.*\.$"):
        dp.plan(statistic, n={"a": 100, "b": 50}, budget=budget, mechanism=name)


def test_a_file_of_groups_with_a_comparison_is_refused():
    sizes = {"a": 100, "b": 50}
    document = dp.plan(SPD, n=sizes, budget=dp.Pure(1), mechanism="laplace").to_json()
    assert plan_from_json(document).plans.keys() == {"a", "b"}
    document["plans"]["b"] = dp.plan(
        SPD, n=50, budget=dp.Pure(1), mechanism="ambient-laplace"
    ).to_json()
    with pytest.raises(dp.errors.GeomdpError):
        plan_from_json(document)


def test_proved_mechanisms_are_accounted():
    for name, budget in (("laplace", dp.Pure(1)), ("wrapped-gaussian", dp.GDP(1))):
        plan = dp.plan(SPD, n=100, budget=budget, mechanism=name)
        assert plan.is_private
        assert plan.gdp.mu > 0
        assert plan.dp_event is not None
