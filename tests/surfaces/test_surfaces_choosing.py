"""The bound tau of a mean surface that is left out: what a plan chooses, and when it does not."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.curves import FunctionRegression, Matern
from geomdp.errors import GeomdpError, InvalidRecordError, MechanismRefusedError
from geomdp.plans import tau_of
from geomdp.surfaces import SurfaceMean, make_template, procedural_face, template_face
from geomdp.surfaces.batch import process
from geomdp.surfaces.choosing import BOUNDS, FAR, NEAR, best_tau, typical_excess
from geomdp.surfaces.registration.matching import MAX_DISTANCE
from geomdp.surfaces.surface_mean import DEFAULT_TAU


@pytest.fixture(scope="module")
def mean():
    return SurfaceMean(make_template(template_face()), rings=8, points=24)


def chosen_for(mean, n, budget):
    return mean.under(budget, n)


def tau_for(mean, n, budget):
    return chosen_for(mean, n, budget).tau


def test_more_records_and_larger_budgets_afford_a_wider_tau(mean):
    chosen = [tau_for(mean, n, dp.GDP(1)) for n in (100, 10_000, 1_000_000)]
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]
    assert tau_for(mean, 1000, dp.GDP(30)) > tau_for(mean, 1000, dp.GDP(1))
    assert tau_for(mean, 1000, dp.Pure(30)) > tau_for(mean, 1000, dp.Pure(1))


def test_a_tau_that_is_left_out_is_told_apart_from_the_same_number_stated(mean):
    stated = mean.clipped_at(DEFAULT_TAU)
    assert mean.tau is None
    assert mean.radius == stated.radius == stated.tau == DEFAULT_TAU
    assert repr(mean) != repr(stated)
    assert mean.to_json() != stated.to_json()
    for one in (mean, stated):
        again = SurfaceMean.from_json(one.to_json())
        assert again.tau == one.tau
        assert again.to_json() == one.to_json()
    asked = {"n": 1000, "budget": dp.GDP(3)}
    assert [dp.plan(one, **asked).shape for one in (mean, stated)] == ["staged", "single"]
    assert dp.plan(SurfaceMean.from_json(mean.to_json()), **asked).shape == "staged"


def test_the_choice_stands_in_the_plan_and_stays_when_read_again(mean):
    made = dp.plan(chosen_for(mean, 1000, dp.GDP(1)), n=1000, budget=dp.GDP(1)).statistic
    assert made.tau is not None
    again = SurfaceMean.from_json(made.to_json())
    assert again.tau == made.tau
    assert again.under(dp.GDP(1), 10**6).tau == made.tau
    # The penalty is for the same guess of the mean, whatever the tau.
    assert np.isclose(made.offset * np.sqrt(3), 0.2 * DEFAULT_TAU)


def test_what_is_given_is_not_chosen(mean):
    for n in (100, 10**6):
        for stated in (replace(mean, tau=0.03), mean.clipped_at(mean.radius)):
            assert dp.plan(stated, n=n, budget=dp.GDP(1)).statistic.tau == 0.03
            assert tau_for(stated, n, dp.GDP(1)) == 0.03
    rings = replace(mean, kernel=Matern(0.5), phi=0.01)
    assert tau_for(rings, 100, dp.GDP(1)) == 0.03


def losses(values, spread, n, mu):
    """Errors of all bounds over the least, from draws: lognormal lengths, a part on one side."""
    rng = np.random.default_rng(5)
    lengths = spread.median * np.exp(0.25 * rng.standard_normal(400_000))
    errors = []
    for tau in BOUNDS:
        variance, signal = (2 * tau / (n * mu)) ** 2, spread.offset**2 / 3
        kept = values / (values + variance / signal)
        noise = 3 * variance * np.sum(kept**2)
        bias = 3 * signal * np.sum(values * (1 - kept) ** 2)
        excess = np.maximum(lengths - tau, 0).mean()
        assert typical_excess(tau, spread.median) == pytest.approx(excess, rel=0.05, abs=1e-6)
        errors.append(noise + bias + (spread.sided * excess) ** 2)
    return np.array(errors) / min(errors)


@pytest.mark.parametrize(("n", "mu"), [(100, 1.0), (1000, 3.0)])
def test_the_chosen_tau_loses_least_be_the_template_near_or_far(mean, n, mu):
    values = mean.functions.spectrum.values
    near, far = (losses(values, spread, n, mu) for spread in (NEAR, FAR))
    chosen = BOUNDS.index(best_tau(values, dp.GDP(mu), n))
    assert chosen == np.argmin(np.maximum(near, far))
    assert max(near[chosen], far[chosen]) < 2.5  # so much, and what the guesses are wrong by
    assert near.argmin() <= chosen <= far.argmin()


def test_a_tau_left_out_is_found_below_what_is_refused_anyway(mean):
    """0.03 would clip the records of a far template, and nothing would tell."""
    made = dp.plan(mean, n=1000, budget=dp.GDP(1))
    assert "within what a plan finds" in mean.describe()
    assert "within 0.1 at area one: the bound found privately below that" in str(made)
    assert made.to_json() == dp.plan(dp.Refined(mean), n=1000, budget=dp.GDP(1)).to_json()
    assert made.rule.plan(()).statistic.top == MAX_DISTANCE
    again = dp.plan(dp.Refined(mean.clipped_at(0.05)), n=1000, budget=dp.GDP(1))
    assert again.rule.plan(()).statistic.top == 0.05
    far = mean.template_curves + np.array([0.0, 0.0, 0.06])
    release = made.release(np.repeat(far[None], 1000, axis=0))
    assert tau_of(release) >= 0.06


def test_where_none_can_be_found_it_is_chosen(mean):
    few = dp.plan(mean, n=20, budget=dp.GDP(1))
    assert few.statistic.tau == tau_for(mean, 20, dp.GDP(1))
    named = dp.plan(mean, n=1000, budget=dp.GDP(1), mechanism="pointwise-gaussian")
    assert named.statistic.tau == tau_for(mean, 1000, dp.GDP(1))
    groups = dp.plan(mean, n={"a": 1000, "b": 2000}, budget=dp.GDP(1))
    assert groups.plans["b"].statistic.tau == tau_for(mean, 2000, dp.GDP(1))
    with pytest.raises(MechanismRefusedError):  # what serves neither is said
        dp.plan(mean, n=1000, budget=dp.GDP(1), mechanism="laplace")


def test_an_error_wanted_is_of_a_tau_that_is_known(mean):
    budget = dp.budget_for(mean, n=np.int64(1000), error=0.002, kind=dp.GDP)
    made = dp.plan(chosen_for(mean, 1000, budget), n=1000, budget=budget)
    assert 0.0019 < made.expected_error <= 0.002
    for n in (0, 1.5, None):
        with pytest.raises(GeomdpError, match="must be public and a whole number"):
            dp.budget_for(mean, n=n, error=0.002, kind=dp.GDP)


def test_a_regression_finds_its_tau_too(mean):
    asked = FunctionRegression(mean, {"age": (20, 90)})
    made = dp.plan(asked, n=1000, budget=dp.GDP(3))
    assert made.shape == "staged"
    assert "regression on age from 20 to 90 of leading terms: mean surface" in str(made)
    few = dp.plan(asked, n=40, budget=dp.GDP(0.1))
    assert (few.shape, few.statistic.tau) == ("single", DEFAULT_TAU)
    assert "distance within 0.03 at area one" in str(few)
    known = asked.under(dp.GDP(3), 1000)
    assert dp.plan(known, n=1000, budget=dp.GDP(3)).statistic.tau == DEFAULT_TAU


def test_meshes_are_laid_over_the_template_once(mean, monkeypatch):
    faces = [procedural_face(seed) for seed in range(3)]
    asked = replace(mean, registration="homologous")
    laid = []

    def counting(self, records, **how):
        laid.append(len(records))
        return process(records, self.template, self.recipe, workers=1)

    monkeypatch.setattr(SurfaceMean, "prepare", counting)
    made = dp.plan(asked, n=3, budget=dp.GDP(200))
    assert made.shape == "staged"
    with pytest.raises(InvalidRecordError, match="for 3 records, but there are 2"):
        made.release(faces[:2])
    assert laid == []  # a wrong number is told at once
    with replayed(1):
        release = made.release(faces)
    assert laid == [3]
    with replayed(1):
        again = made.release(asked.prepare(faces).curves)
    np.testing.assert_array_equal(release.value, again.value)
    with replayed(1):  # what is no mesh stands as the template, and stops nobody
        odd = made.release([1.0, *faces[1:]])
    laid_over = asked.prepare(faces).curves
    laid_over[0] = asked.public_record
    with replayed(1):
        np.testing.assert_array_equal(odd.value, made.release(laid_over).value)
