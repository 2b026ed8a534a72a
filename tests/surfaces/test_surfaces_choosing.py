"""The bound tau of a mean surface that is left out: what a plan chooses, and when it does not."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.functions import Matern
from geomdp.plans.tau_stages import tau_of
from geomdp.surfaces import SurfaceMean, make_template, template_face
from geomdp.surfaces.choosing import BOUNDS, FAR, NEAR, LeftOut, best_tau, typical_excess
from geomdp.surfaces.registration.gates import MAX_DISTANCE
from geomdp.surfaces.surface_mean import DEFAULT_TAU


@pytest.fixture(scope="module")
def mean():
    return SurfaceMean(make_template(template_face()), rings=8, points=24)


def tau_for(mean, n, budget):
    return dp.plan(mean, n=n, budget=budget).statistic.tau


def test_more_records_and_larger_budgets_afford_a_wider_tau(mean):
    chosen = [tau_for(mean, n, dp.GDP(1)) for n in (100, 10_000, 1_000_000)]
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]
    assert tau_for(mean, 1000, dp.GDP(30)) > tau_for(mean, 1000, dp.GDP(1))
    assert tau_for(mean, 1000, dp.Pure(30)) > tau_for(mean, 1000, dp.Pure(1))


def test_the_choice_stands_in_the_plan_and_stays_when_read_again(mean):
    made = dp.plan(mean, n=1000, budget=dp.GDP(1)).statistic
    assert not isinstance(made.tau, LeftOut)
    again = SurfaceMean.from_json(made.to_json())
    assert again.tau == made.tau
    assert again.under(dp.GDP(1), 10**6).tau == made.tau
    # The penalty is for the same guess of the mean, whatever the tau.
    assert np.isclose(made.offset * np.sqrt(3), 0.2 * DEFAULT_TAU)


def test_what_is_given_is_not_chosen(mean):
    for n in (100, 10**6):
        assert tau_for(replace(mean, tau=0.03), n, dp.GDP(1)) == 0.03
        assert tau_for(mean.clipped_at(mean.tau), n, dp.GDP(1)) == 0.03
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
    made = dp.plan(dp.Refined(mean), n=1000, budget=dp.GDP(1))
    assert made.rule.plan(()).statistic.top == MAX_DISTANCE
    again = dp.plan(dp.Refined(mean.clipped_at(0.05)), n=1000, budget=dp.GDP(1))
    assert again.rule.plan(()).statistic.top == 0.05
    far = mean.template_curves + np.array([0.0, 0.0, 0.06])
    release = made.release(np.repeat(far[None], 1000, axis=0))
    assert tau_of(release) >= 0.06
