"""The bound tau of a mean surface that is left out: what a plan chooses, and when it does not."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.functions import Matern
from geomdp.surfaces import SurfaceMean, make_template, template_face
from geomdp.surfaces.choosing import BOUNDS, LeftOut, best_tau, typical_excess
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


def test_the_chosen_tau_has_the_least_error_of_all(mean):
    """Against draws: lengths lognormal as guessed, half of the excess on one side."""
    values, offset = mean.functions.spectrum.values, mean.functions.typical_offset
    rng = np.random.default_rng(5)
    lengths = 0.02 * np.exp(0.25 * rng.standard_normal(400_000))
    for tau in BOUNDS[:3]:
        excess = np.maximum(lengths - tau, 0).mean()
        assert typical_excess(tau) == pytest.approx(excess, rel=0.03)
    n, mu = 1000, 3.0
    errors = []
    for tau in BOUNDS:
        variance = (2 * tau / (n * mu)) ** 2
        phi = variance / offset[0] ** 2
        kept = values / (values + phi)
        noise = 3 * variance * np.sum(kept**2)
        bias = 3 * offset[0] ** 2 * np.sum(values * (1 - kept) ** 2)
        errors.append(noise + bias + (0.5 * np.maximum(lengths - tau, 0).mean()) ** 2)
    assert best_tau(values, offset, dp.GDP(mu), n) == BOUNDS[int(np.argmin(errors))]
