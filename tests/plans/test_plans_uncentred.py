"""A ball under a pure budget whose centre would be mostly noise: none is sought."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.plans import load_plan
from geomdp.plans.ball_shares import TOO_NOISY, divide
from geomdp.plans.ball_stages import BallStages

DIM, N = 60, 600


def asked(dim=DIM):
    return dp.Refined(dp.TangentMean(dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.0)))


def asks(plan):
    return [stage.asks for stage in plan.rule.stages]


def test_a_centre_is_sought_only_where_it_is_not_mostly_noise():
    many = dp.plan(asked(), n=N, budget=dp.Pure(1))
    assert asks(many) == ["radius", "answer"]
    assert many.cost.price(dp.Pure) == dp.Pure(1)
    assert "no centre is sought" in str(many)
    for plan in (
        dp.plan(asked(2), n=N, budget=dp.Pure(1)),
        dp.plan(asked(), n=N, budget=dp.GDP(1)),
        dp.plan(asked(), n=100 * N, budget=dp.Pure(1)),
    ):
        assert "centre" in asks(plan)
        assert "no centre is sought" not in str(plan)


@pytest.mark.parametrize("dim", [3, 10, 20, 40])
def test_the_rule_is_the_expected_noise_over_the_first_radius(dim):
    plan = dp.plan(asked(dim), n=N, budget=dp.Pure(1))
    stages = divide(plan.rule.request, dim, 1, True)
    epsilon = float(stages[1].budget.parts[0])
    assert ("centre" in asks(plan)) == (2 * dim / (N * epsilon) <= TOO_NOISY)


def test_it_is_saved_released_and_verified(tmp_path):
    plan = dp.plan(asked(), n=N, budget=dp.Pure(1))
    plan.save(tmp_path / "plan.json")
    assert asks(load_plan(tmp_path / "plan.json")) == ["radius", "answer"]
    points = 0.02 * np.random.default_rng(0).standard_normal((N, DIM))
    release = plan.release(points)
    release.save(tmp_path / "folder")
    assert dp.verify(tmp_path / "folder").verified


def test_it_is_nearer_than_with_a_centre_of_noise():
    plan, rng = dp.plan(asked(), n=N, budget=dp.Pure(1)), np.random.default_rng(0)
    rule = plan.rule
    noisy = BallStages(rule.request, "auto", 1, answer=True, centred=True)
    points = 0.02 * rng.standard_normal((N, DIM)) + 0.02
    errors = {}
    for name, stages in (("without", rule), ("with", noisy)):
        released = []
        while len(released) < len(stages.stages):
            released.append(stages.plan(released).release(points))
        errors[name] = np.linalg.norm(released[-1].value - points.mean(axis=0))
    assert errors["without"] < errors["with"]
