"""Curves laid over a public template, one at a time."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    FunctionMoments,
    IntervalGrid,
    JointKernel,
    Matern,
    RingGrid,
    register_curves,
)
from geomdp.curves.datasets import growth_curves
from geomdp.errors import GeomdpError, InvalidRecordError

FAMILY = growth_curves(30, seed=1, ages=np.linspace(2, 18, 65))
CIRCLE = CircleGrid(60)


def spurt(curves):
    """Age of the fastest growth after the age of eight."""
    ages = FAMILY.grid.points
    rates = np.gradient(curves, ages, axis=-1)[..., ages > 8]
    return ages[ages > 8][np.argmax(rates, axis=-1)]


def loop(t):
    angle = 2 * np.pi * t
    return np.stack(
        [np.cos(angle) + 0.3 * np.cos(2 * angle), np.sin(angle) + 0.2 * np.sin(3 * angle)]
    )


@pytest.fixture(scope="module")
def registered():
    return register_curves(FAMILY.records, FAMILY.template, FAMILY.grid)


def test_spurts_come_at_one_age(registered):
    before, after = spurt(FAMILY.records), spurt(registered.curves)
    assert after.std() < 0.5 * before.std()
    assert abs(after.mean() - spurt(FAMILY.template)) < 0.3


def test_warps_increase_from_end_to_end_and_read_the_record(registered):
    ages = FAMILY.grid.points
    assert np.diff(registered.warps, axis=1).min() > 0
    np.testing.assert_allclose(registered.warps[:, [0, -1]], [[2, 18]] * 30)
    read = np.interp(registered.warps[3], ages, FAMILY.records[3])
    np.testing.assert_allclose(registered.curves[3], read, atol=0.2)


def test_each_record_is_registered_alone(registered):
    for row in (0, 11):
        alone = register_curves(FAMILY.records[[row]], FAMILY.template, FAMILY.grid)
        np.testing.assert_array_equal(alone.curves[0], registered.curves[row])


def test_a_shifted_and_warped_loop_is_found():
    rng = np.random.default_rng(0)
    warps = [
        (CIRCLE.points + start + 0.05 * np.sin(2 * np.pi * CIRCLE.points)) % 1
        for start in rng.random(6)
    ]
    records = np.stack([loop(w) for w in warps])
    found = register_curves(records, loop(CIRCLE.points), CIRCLE).curves
    before, after = (np.sqrt(np.mean((x - loop(CIRCLE.points)) ** 2)) for x in (records, found))
    assert before > 0.5
    assert after < 0.07


@pytest.mark.parametrize("grid", [CIRCLE, IntervalGrid(np.linspace(0, 1, 60))])
def test_the_template_stays_where_it_is(grid):
    template = loop(grid.points)
    found = register_curves(template[None], template, grid)
    np.testing.assert_allclose(found.warps[0], grid.points, atol=1e-12)
    np.testing.assert_allclose(found.curves[0], template, atol=1e-9)


def test_noise_is_not_warped_away():
    """Flat records of pure noise say nothing about time: the price keeps them nearly in place."""
    grid = IntervalGrid(np.linspace(0, 1, 60))
    template = np.exp(-((grid.points - 0.5) ** 2) / 0.02)
    noise = template + 0.002 * np.random.default_rng(2).standard_normal((5, 60))
    assert np.abs(register_curves(noise, template, grid).warps - grid.points).max() < 0.12


def test_hostile_records_become_finite_and_gaps_stay():
    grid = IntervalGrid(np.linspace(0, 1, 60))
    rng = np.random.default_rng(3)
    records = np.stack(
        [
            np.zeros(60),
            np.full(60, 1e308),
            1e308 * (-1.0) ** np.arange(60),
            1e-320 * rng.standard_normal(60),
            np.where(np.arange(60) == 30, np.nan, 1.0),
            rng.standard_cauchy(60),
        ]
    )
    for template in (np.sin(5 * grid.points), np.zeros(60)):
        found = register_curves(records, template, grid)
        assert np.all(np.isfinite(found.warps))
        assert np.all(np.isfinite(found.curves[[0, 1, 2, 3, 5]]))
        np.testing.assert_array_equal(found.curves[4], records[4])


def test_other_shapes_are_refused():
    with pytest.raises(InvalidRecordError, match="template's shape"):
        register_curves(np.zeros((2, 8)), np.zeros(9), IntervalGrid(np.arange(9)))


def asked(registration):
    return FunctionMean(
        FAMILY.template, 25.0, Matern(3.0), grid=FAMILY.grid, registration=registration
    )


def test_registration_is_a_field_of_the_plan_and_happens_where_records_enter(registered):
    plan = dp.plan(asked("elastic"), n=30, budget=dp.GDP(1))
    assert plan.to_json()["statistic"]["registration"] == "elastic"
    again = FunctionMean.from_json(plan.statistic.to_json())
    assert again.registration == "elastic"
    assert "laid over the template" in str(plan)
    np.testing.assert_array_equal(
        again.encode(FAMILY.records), asked(None).encode(registered.curves)
    )
    # Moments of the same curves see them laid over the template too.
    few = dp.plan(FunctionMoments(again), n=30, budget=dp.GDP(1)).statistic
    alone = FunctionMean.from_json({**few.functions.to_json(), "registration": None})
    np.testing.assert_allclose(few.encode(FAMILY.records), alone.encode(registered.curves))


def test_what_is_no_curve_stands_as_the_template_exactly():
    short = [FAMILY.records[0], np.ones(3)]
    found = asked("elastic").admit(short)
    assert list(found.invalid) == [1]
    assert not found.records[1].any()
    assert found.records[0].any()


def test_rings_and_unknown_rules_are_refused():
    grid = RingGrid(IntervalGrid(np.arange(1.0, 5)), CircleGrid(8))
    kernel = JointKernel(radial=Matern(0.5), angular=Matern(0.5))
    with pytest.raises(GeomdpError, match="not on rings"):
        FunctionMean(np.zeros((4, 8)), 1.0, kernel, grid=grid, registration="elastic")
    with pytest.raises(GeomdpError, match="registration must be one of"):
        asked("rigid")
