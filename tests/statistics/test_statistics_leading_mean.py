"""The mean in the leading directions of a form: projected first, clipped then."""

import json

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans import load_plan, tau_of
from geomdp.statistics import statistic_from_json
from geomdp.statistics.encoded import Encoded
from geomdp.testing.hostile import hostile_records

DIM, N = 12, 200
VALUES = 1.0 / np.arange(1, DIM + 1)


def turned(seed=3):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((DIM, DIM)))[0]


def form():
    return turned() @ np.diag(VALUES) @ turned().T


def ball(radius=1.0):
    return dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), radius, form=form())


def varied(n=N, size=0.2, seed=0):
    """Records that vary as the form to the second power."""
    return size * (np.random.default_rng(seed).standard_normal((n, DIM)) * VALUES) @ turned().T


def test_a_record_moves_the_kept_coordinates_by_two_radii_at_most():
    mean = dp.LeadingMean(ball(), 4)
    far = 100 * np.random.default_rng(1).standard_normal((50, DIM))
    lengths = np.linalg.norm(mean.encode(far), axis=1)
    assert np.max(lengths) <= mean.radius * (1 + 1e-15)
    ends = mean.encode(np.stack([far[0], -far[0]]))
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(2 * mean.radius)
    assert mean.sensitivity(N).value == pytest.approx(2 * mean.radius / N)


def test_directions_taken_from_the_records_break_the_sensitivity():
    """The mutant: the principal direction of the records turns with one of them."""
    n = 20
    points = np.zeros((n, DIM))
    points[: n // 2, 0] = 1.0
    points[n // 2 :, 1] = 0.999
    moved = np.array(points)
    moved[0] = 0.0

    def by_their_own(records):
        axis = np.linalg.svd(records)[2][0]
        return np.mean(records @ axis) * axis

    change = np.linalg.norm(by_their_own(moved) - by_their_own(points))
    mean = dp.LeadingMean(dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0, form=np.eye(DIM)), 1)
    assert change > 5 * 2 / n >= mean.sensitivity(n).value


def test_records_are_projected_first_and_clipped_then():
    mean = dp.LeadingMean(ball(), 2)
    kept, left = turned()[:, 0], turned()[:, -1]
    inside = 0.5 * kept + 50.0 * left  # far away, in a direction that is not asked
    found = mean.decode(mean.encode(inside[None]))[0]
    np.testing.assert_allclose(found, 0.5 * kept, atol=1e-12)
    mutant = dp.LeadingMean(ball(), 2).encode(dp.TangentMean(ball()).ball.clip(inside[None]))
    assert np.linalg.norm(mutant) < 0.1 * np.linalg.norm(mean.encode(inside[None]))


def test_the_error_is_that_of_the_formula():
    mean = dp.LeadingMean(ball(), 4)
    plan = dp.plan(mean, n=N, budget=dp.Pure(1))
    assert plan.mechanism == "linear-laplace"
    points = np.zeros((N, DIM))
    drawn = plan._mechanism.draw(
        plan.calibration, Encoded.of(mean.encode(points)), SeededEntropy(0), 4000
    )
    noise = 5 * (2 * mean.radius / N) ** 2 * np.sum(VALUES[:4])
    assert np.mean(np.sum(drawn**2, axis=1)) == pytest.approx(noise, rel=0.05)
    assert mean.squared_errors(dp.Pure(1), N)[3] == pytest.approx(
        noise + np.sum(mean.bias_deviations**2), rel=1e-9
    )
    assert plan.expected_error**2 == pytest.approx(mean.squared_errors(dp.Pure(1), N)[3], rel=0.2)
    gaussian = mean.squared_errors(dp.GDP(1), N)[3] - np.sum(mean.bias_deviations**2)
    assert gaussian == pytest.approx(noise / 5)


def test_the_plan_chooses_the_number_and_the_radius_plays_no_part():
    few = N // 5
    small, large = (dp.LeadingMean(ball(r)).under(dp.Pure(1), few) for r in (0.1, 10.0))
    assert small.directions == large.directions
    errors = large.squared_errors(dp.Pure(1), few)
    assert errors[large.directions - 1] == np.min(errors)
    more = dp.LeadingMean(ball()).under(dp.Pure(1), 100 * N)
    assert more.directions > large.directions
    sure = dp.LeadingMean(ball(), left_out=0.1).under(dp.Pure(1), few)
    assert sure.directions < large.directions


def test_the_radius_holds_as_many_in_the_kept_directions():
    """The radius that holds 99 of 100 in all directions, and what it becomes in four."""
    points = varied(20_000, 1.0)
    whole = np.linalg.norm(points @ turned() / np.sqrt(VALUES), axis=1)
    mean = dp.LeadingMean(ball(float(np.quantile(whole, 0.99))), 4)
    held = np.mean(np.asarray(mean.lengths(points).records) <= mean.radius)
    assert held == pytest.approx(0.99, abs=0.003)
    left = np.sum((points @ turned()[:, 4:]) ** 2, axis=1).mean()
    assert np.sum(mean.bias_deviations**2) == pytest.approx(left, rel=0.1)


def test_it_is_assumed_in_the_forecast_and_said():
    plan = dp.plan(dp.LeadingMean(ball(), 3), n=N, budget=dp.Pure(1))
    text = str(plan)
    assert "9 directions left out" in text
    assert "assumption" in text
    none = dp.plan(dp.LeadingMean(ball(), 3, left_out=0.0), n=N, budget=dp.Pure(1))
    assert none.expected_error < plan.expected_error


def test_it_is_saved_released_verified_and_denoised(tmp_path):
    plan = dp.plan(dp.LeadingMean(ball()), n=N, budget=dp.Pure(1))
    plan.save(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.statistic.directions == plan.statistic.directions
    release = again.release(varied() + 0.05 * turned()[:, 0])
    release.save(tmp_path / "folder")
    assert dp.verify(tmp_path / "folder")
    left = turned()[:, plan.statistic.directions :]
    np.testing.assert_allclose(release.value @ left, 0.0, atol=1e-12)
    np.testing.assert_allclose(release.denoised @ left, 0.0, atol=1e-12)


def test_a_radius_is_found_in_the_kept_directions():
    prior = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 20.0, form=form())
    plan = dp.plan(dp.Refined(dp.LeadingMean(prior)), n=2000, budget=dp.Pure(2))
    release = plan.release(varied(2000))
    first, last = (part.plan.statistic for part in release.parts.values())
    assert first.statistic.directions == last.directions
    assert tau_of(release) < 2.0
    assert release.answer.plan.statistic.radius == pytest.approx(tau_of(release), rel=1e-9)


def test_directions_that_do_not_lead_are_refused():
    stated = dp.LeadingMean(ball(), 2).to_json()
    assert statistic_from_json(stated).directions == 2
    other = json.loads(json.dumps(stated))
    swapped = dp.LeadingMean(ball(), 4).axes[[0, 3]]
    from geomdp.serial import array_to_json

    other["axes"] = array_to_json(swapped)
    with pytest.raises(GeomdpError, match="not the leading ones"):
        statistic_from_json(other)
    other["axes"] = array_to_json(2 * dp.LeadingMean(ball(), 2).axes)
    with pytest.raises(GeomdpError, match="not the leading ones"):
        statistic_from_json(other)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(GeomdpError, match="public form"):
        dp.LeadingMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0))
    for wrong in ({"directions": 13}, {"left_out": 2.0}, {"decay": 0.0}):
        with pytest.raises(GeomdpError):
            dp.LeadingMean(ball(), **wrong)


def test_the_door_is_total():
    plan = dp.plan(dp.LeadingMean(ball(), 3), n=N, budget=dp.Pure(1), invalid="public")
    rows = plan.statistic.admit([[np.nan] * DIM, [1e300] * DIM, [0.1] * DIM]).records
    assert np.all(np.isfinite(rows))
    assert np.all(rows[0] == 0)
    worst = hostile_records(dp.Euclidean(DIM), ball(), 200, np.random.default_rng(0))
    assert np.max(np.linalg.norm(plan.statistic.admit(worst).records, axis=1)) <= 1 + 1e-12


def test_a_number_of_directions_chosen_by_the_records_would_give_one_away():
    """The mutant: the assumed moments replaced by those of the records themselves."""

    def chosen(records):
        mean = dp.LeadingMean(ball())
        mean.__dict__["_moments"] = np.sort(np.mean((records @ turned()) ** 2, axis=0))[::-1]
        return mean.under(dp.Pure(1), N).directions

    points = varied(N, 0.05)
    moved = np.array(points)
    moved[0] = 30.0 * turned()[:, -1]
    # Releases of different directions tell the two apart for sure; the plan's own number does not
    # hang on any record.
    assert chosen(points) != chosen(moved)
