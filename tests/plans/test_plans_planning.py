"""Plans: what they say, what they forecast, and what they refuse."""

import json
from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.about import sealed
from geomdp.plans.choosing import NOT_SIMULATED
from geomdp.privacy import analytic_mu, compose, convert

POLE = np.array([0.0, 0.0, 1.0])
SPHERE_BALL = dp.Ball(dp.Sphere(2), POLE, np.pi / 8)
SPD_BALL = dp.Ball(dp.SPD(3), np.eye(3), 2.0)

PLANS = {
    "sphere": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=100, budget=dp.Pure(1), mechanism="laplace"
    ),
    "sphere-ball": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=100, budget=dp.Pure(1), mechanism="laplace-ball"
    ),
    "sphere-paper": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL),
        n=100,
        budget=dp.Pure("0.1"),
        mechanism="laplace",
        bound="paper",
    ),
    "spd": lambda: dp.plan(
        dp.FrechetMean(SPD_BALL), n=200, budget=dp.Pure(0.5), mechanism="laplace"
    ),
    "euclidean": lambda: dp.plan(
        dp.FrechetMean(dp.Ball(dp.Euclidean(4), np.ones(4), 3.0)),
        n=50,
        budget=dp.Pure(2),
        mechanism="laplace",
    ),
    "summary": lambda: dp.plan(dp.Summary(dp.Sphere(3), 0.01), budget=dp.Pure(1)),
}


@pytest.fixture(params=PLANS)
def plan(request):
    return PLANS[request.param]()


@pytest.fixture
def no_noise(monkeypatch):
    """Fail as soon as anything asks the operating system for randomness."""

    def take(self, count):
        pytest.fail("noise was drawn")

    monkeypatch.setattr(SystemEntropy, "take", take)


# --- what a plan says -------------------------------------------------------------------------


def test_plan_prints_what_a_reader_needs(plan):
    text = str(plan)
    assert plan.guarantee.budget.words() in text
    assert plan.mechanism in text
    for number in (plan.sensitivity.value, plan.scale, plan.expected_error):
        assert f"{number:.6g}" in text
    assert "95 of 100" in text
    assert all(len(line) > 13 for line in text.splitlines())


def test_auto_lists_the_runners_up():
    plan = dp.plan(dp.FrechetMean(SPD_BALL), n=200, budget=dp.Pure(1))
    assert "Runners-up" in str(plan)
    assert [a.name for a in plan.runners_up]
    assert all(a.expected_error is not None or a.reason for a in plan.runners_up)


def test_scale_is_the_sensitivity_over_epsilon():
    plan = PLANS["spd"]()
    assert plan.scale == pytest.approx(plan.sensitivity.value / 0.5, rel=1e-12)
    assert plan.scale >= plan.sensitivity.value / 0.5
    assert plan.sensitivity.value == pytest.approx(2 * 2.0 / 200, rel=1e-4)
    assert plan.sensitivity.value > 2 * 2.0 / 200  # the solver's tolerance is paid for


def test_paper_bound_costs_more_noise():
    sharp = dp.plan(dp.FrechetMean(SPHERE_BALL), n=100, budget=dp.Pure("0.1"), mechanism="laplace")
    assert PLANS["sphere-paper"]().scale == pytest.approx(1.466 * sharp.scale, rel=1e-3)


def test_auto_picks_the_smallest_forecast():
    for ball, n, epsilon in ((SPHERE_BALL, 60, 0.2), (SPD_BALL, 50, 1)):
        statistic, budget = dp.FrechetMean(ball), dp.Pure(epsilon)
        errors, used = {}, {}
        for name, mechanism in MECHANISMS.items():
            if mechanism.comparison:
                continue
            try:
                made = dp.plan(statistic, n=n, budget=budget, mechanism=name)
                errors[name], used[name] = made.expected_error, made.least_error
            except dp.errors.MechanismRefusedError:
                continue
        chosen = dp.plan(statistic, n=n, budget=budget)
        assert len(errors) > 1
        assert chosen.mechanism == min(used, key=used.get)
        others = {a.name: a for a in chosen.runners_up if a.expected_error}
        assert others.keys() | {chosen.mechanism} == errors.keys()
        for name, other in others.items():
            if other.reason == NOT_SIMULATED:  # a lower bound, beyond the smallest
                assert chosen.least_error <= other.expected_error <= errors[name]
            else:
                assert other.expected_error == errors[name]


# --- forecasts --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sphere", "spd", "euclidean", "summary"])
def test_forecast_agrees_with_simulation(name):
    plan = PLANS[name]()
    space = plan.statistic.space
    at = space.origin(np.zeros(1))
    size = 20_000
    errors = space.dist(at, plan.simulate(at, size, seed=5))
    assert abs(np.mean(errors) - plan.expected_error) < 4 * np.std(errors) / np.sqrt(size)
    for q in (0.5, 0.95):
        share = np.mean(errors <= plan.error_quantile(q))
        assert abs(share - q) < 4 * np.sqrt(q * (1 - q) / size)
    # The same comparison notices a forecast that is off by 3%.
    off = replace(plan.calibration, scale=1.03 * plan.scale)
    wrong = plan._mechanism.forecast(off).expected
    assert abs(np.mean(errors) - wrong) > 4 * np.std(errors) / np.sqrt(size)


def test_forecast_of_the_restricted_law_is_an_upper_estimate():
    plan = PLANS["sphere-ball"]()
    edge = np.array([np.sin(np.pi / 8), 0.0, np.cos(np.pi / 8)])
    for at in (POLE, edge):
        mean = np.mean(plan.statistic.space.dist(at, plan.simulate(at, 20_000)))
        assert mean < 1.03 * plan.expected_error


def test_simulation_takes_a_point_or_public_records():
    plan = PLANS["sphere"]()
    points = np.array([[0.1, 0.0, 1.0], [-0.1, 0.0, 1.0]])
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    assert np.allclose(plan.simulate(points, 3, seed=1), plan.simulate(POLE, 3, seed=1), atol=1e-9)
    assert np.array_equal(plan.simulate(POLE, 3, seed=1), plan.simulate(POLE, 3, seed=1))
    assert not np.array_equal(plan.simulate(POLE, 3, seed=1), plan.simulate(POLE, 3, seed=2))


def test_quantiles_are_asked_for_in_range():
    for q in (0.0, 1.0, 95, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            PLANS["sphere"]().error_quantile(q)


# --- the inverse ------------------------------------------------------------------------------


@pytest.mark.parametrize("quantile", [None, 0.95])
@pytest.mark.parametrize(("ball", "n", "error"), [(SPHERE_BALL, 100, 0.03), (SPD_BALL, 300, 0.2)])
def test_budget_for_inverts_plan(ball, n, error, quantile):
    statistic = dp.FrechetMean(ball)
    budget = dp.budget_for(statistic, n=n, error=error, quantile=quantile, mechanism="laplace")

    def forecast(epsilon):
        plan = dp.plan(statistic, n=n, budget=dp.Pure(epsilon), mechanism="laplace")
        return plan.expected_error if quantile is None else plan.error_quantile(quantile)

    assert forecast(budget.epsilon) <= error
    assert forecast(0.985 * budget.epsilon) > error


@pytest.mark.parametrize("error", [0.0, -1.0, np.nan, np.inf])
def test_budget_for_needs_a_positive_error(error):
    with pytest.raises(ValueError, match="positive and finite"):
        dp.budget_for(dp.FrechetMean(SPHERE_BALL), n=100, error=error)


# --- files ------------------------------------------------------------------------------------


def test_plan_survives_its_file(plan, tmp_path):
    file = tmp_path / "plan.json"
    plan.save(file)
    again = dp.load_plan(file)
    assert again.to_json() == plan.to_json()
    assert again.scale == plan.scale
    assert str(again).splitlines()[:5] == str(plan).splitlines()[:5]
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


ALTERATIONS = {
    "epsilon": lambda d: d["budget"].update(epsilon="0.5"),
    "n": lambda d: d.update(n=1000),
    "radius": lambda d: d["statistic"].update(radius=0.2),
    "scale": lambda d: d["derived"].update(scale=d["derived"]["scale"] / 2),
    "sensitivity": lambda d: d["derived"].update(sensitivity=1e-6),
    "grid": lambda d: d["derived"].update(grid_exponent=-10),
    "mechanism": lambda d: d.update(mechanism="laplace-ball"),
    "bound": lambda d: d.update(bound="paper"),
    "guarantee": lambda d: d["derived"]["guarantee"]["budget"].update(epsilon="0.01"),
    "strength": lambda d: d["derived"]["guarantee"].update(strength="idealised"),
    "stranger": lambda d: d["derived"].update(extra=1.0),
    "fact missing": lambda d: d["derived"].pop("factor"),
    "input stranger": lambda d: d["statistic"].update(median=True),
    "format": lambda d: d.update(format=99),
    "missing": lambda d: d.pop("derived"),
    "space": lambda d: d["statistic"].update(space="sphere:5"),
    "tag": lambda d: d["statistic"].update(tag="median"),
    "center": lambda d: d["statistic"]["center"].update(base64="!"),
}


def test_a_better_forecast_does_not_invalidate_an_old_plan(tmp_path):
    file = tmp_path / "plan.json"
    plan = PLANS["sphere"]()
    document = plan.to_json()
    document["derived"]["expected_error"] *= 1.1
    file.write_text(json.dumps(sealed(document)), encoding="utf-8")
    assert dp.load_plan(file).expected_error == plan.expected_error


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_altered_plan_is_noticed(alteration, tmp_path):
    file = tmp_path / "plan.json"
    PLANS["sphere"]().save(file)
    document = json.loads(file.read_text(encoding="utf-8"))
    ALTERATIONS[alteration](document)
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^[A-Z]"):
        dp.load_plan(file)


@pytest.mark.parametrize("content", ["", "[]", "null", '{"format": 1}', "not json", "\x00"])
def test_damaged_plan_is_a_sentence(content, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="plan"):
        dp.load_plan(file)


ABSURD = {
    "a format that cannot be printed": lambda d: d.update(format="\0"),
    "a dimension of many digits": lambda d: d["statistic"].update(space="sphere:" + "1" * 400),
}


@pytest.mark.parametrize("absurdity", ABSURD)
def test_absurd_plan_is_a_sentence(absurdity, tmp_path):
    file = tmp_path / "plan.json"
    dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace").save(file)
    document = json.loads(file.read_text(encoding="utf-8"))
    ABSURD[absurdity](document)
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(dp.errors.GeomdpError) as caught:
        dp.load_plan(file)
    assert str(caught.value).isprintable()


def test_missing_plan_is_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        dp.load_plan(tmp_path / "nothing.json")


# --- bad input --------------------------------------------------------------------------------

BAD_PLANS = {
    "n = 0": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=0, budget=dp.Pure(1)),
    "n = 1": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=1, budget=dp.Pure(1)),
    "n missing": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), budget=dp.Pure(1)),
    "n not whole": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=10.5, budget=dp.Pure(1)),
    "n true": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=True, budget=dp.Pure(1)),
    "bound unknown": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(1), mechanism="laplace", bound="best"
    ),
    "gaussian unknown": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(1), mechanism="laplace", gaussian="no"
    ),
    "unit a word": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(1), unit="person"
    ),
    "budget a number": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=10, budget=1.0),
    "epsilon 0": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(0)),
    "epsilon negative": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(-1)),
    "epsilon nan": lambda: dp.plan(dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(float("nan"))),
    "epsilon infinite": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(float("inf"))
    ),
    "radius 0": lambda: dp.Ball(dp.Sphere(2), POLE, 0.0),
    "radius negative": lambda: dp.Ball(dp.SPD(2), np.eye(2), -1.0),
    "radius nan": lambda: dp.Ball(dp.SPD(2), np.eye(2), float("nan")),
    "radius infinite": lambda: dp.Ball(dp.SPD(2), np.eye(2), float("inf")),
    "radius beyond the theory": lambda: dp.Ball(dp.Sphere(2), POLE, 1.2),
    "radius beyond the paper's bound": lambda: dp.plan(
        dp.FrechetMean(dp.Ball(dp.Sphere(2), POLE, 0.9)), n=10, budget=dp.Pure(1), bound="paper"
    ),
    "centre off the sphere": lambda: dp.Ball(dp.Sphere(2), [0, 0, 2], 0.3),
    "law does not exist": lambda: dp.plan(
        dp.FrechetMean(SPD_BALL), n=2, budget=dp.Pure(0.5), mechanism="laplace"
    ),
    "unknown mechanism": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(1), mechanism="magic"
    ),
    "unknown bound": lambda: dp.plan(
        dp.FrechetMean(SPHERE_BALL), n=10, budget=dp.Pure(1), mechanism="laplace", bound="none"
    ),
    "sensitivity 0": lambda: dp.Summary(dp.Sphere(2), 0.0),
    "sensitivity nan": lambda: dp.Summary(dp.Sphere(2), float("nan")),
}


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("case", BAD_PLANS)
def test_bad_plan_is_one_clear_sentence(case):
    with pytest.raises(ValueError, match=r"^\w.*\.$") as caught:
        BAD_PLANS[case]()
    assert len(str(caught.value)) < 400
    assert isinstance(caught.value, dp.errors.GeomdpError)


@pytest.mark.usefixtures("no_noise")
def test_planning_draws_nothing_from_the_system(plan):
    assert plan.simulate(plan.statistic.space.origin(np.zeros(1)), 2).shape[0] == 2


@pytest.mark.parametrize("epsilon", [1e-4, 1e-2, 2000])
@pytest.mark.parametrize(
    "space", [dp.SPD(2), dp.SPD(2, "log-euclidean"), dp.Sphere(2), dp.Hyperbolic(3)], ids=str
)
def test_extreme_budgets_have_a_plan(space, epsilon):
    ball = dp.Ball(space, space.origin(np.zeros(1)), 0.5)
    plan = dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(epsilon))
    assert 0 < plan.expected_error < np.inf


def test_noise_beyond_floating_point_is_refused():
    ball = dp.Ball(dp.SPD(3), np.eye(3), 2.0)
    for statistic in (dp.FrechetMean(ball), dp.TangentMean(ball)):
        with pytest.raises(ValueError, match="floating point resolves"):
            dp.plan(statistic, n=20, budget=dp.ZCDP(1e-6))


def test_laplace_composes_by_its_tight_gdp_curve():
    center = np.zeros(10)
    ball = dp.Ball(dp.Euclidean(10), center, 1.0)
    flat = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
    wrapped = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="wrapped-laplace")
    assert flat.gdp == wrapped.gdp
    assert 0.32 < flat.gdp.mu < 0.325
    assert compose([flat.gdp, dp.GDP(1)]).mu < compose([dp.Pure(1), dp.GDP(1)]).mu


@pytest.mark.parametrize("space", [dp.Sphere(1), dp.Sphere(2), dp.SPD(2)], ids=str)
def test_curved_or_bounded_spaces_compose_by_the_generic_curve(space):
    ball = dp.Ball(space, space.origin(np.zeros(1)), 0.5)
    plan = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
    assert plan.gdp == convert(dp.Pure(1), dp.GDP)


def test_gaussian_plans_compose_by_their_own_mu():
    ball = dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0)
    plan = dp.plan(
        dp.FrechetMean(ball), n=100, budget=dp.Approximate(1, 1e-6), mechanism="tangent-gaussian"
    )
    assert plan.gdp.mu == pytest.approx(analytic_mu(1, 1e-6))


def test_groups_are_compared_for_the_smallest(monkeypatch):
    """The smallest has the most noise: its mechanism serves all, and is compared once."""
    from geomdp.plans import planning

    asked = []

    def spied(request, mechanism="auto"):
        asked.append((request.n, mechanism))
        return choose(request, mechanism)

    choose = planning.choose
    monkeypatch.setattr(planning, "choose", spied)
    sizes = {"a": 900, "b": 30, "c": 200}
    plan = dp.plan(dp.FrechetMean(SPHERE_BALL), n=sizes, budget=dp.Pure(1))
    best = plan.plans["b"].mechanism
    assert asked == [(30, "auto"), (200, best), (900, best)]
    assert [label for label, part in plan.plans.items() if part.runners_up] == ["b"]
