"""tangent-gaussian: calibration, exact law with power, exact sums, audits, and refusals."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import geomdp as dp
from geomdp.errors import BudgetError, GeomdpError, MechanismRefusedError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces import symmetric
from geomdp.statistics import TangentMean
from geomdp.statistics.encoded import Encoded

REFERENCE = Path(__file__).parents[1] / "fixtures/reference/reference_values.json"
SPACE = dp.SPD(3, metric="log-euclidean")
BALL = dp.Ball(SPACE, np.diag([1.0, 2.0, 0.5]), 1.5)
BUDGETS = [dp.GDP(mu=0.7), dp.ZCDP(rho=0.2), dp.Approximate(0.5, 1e-6)]


def records(n, seed=0, ball=BALL):
    rng = np.random.default_rng(seed)
    return TangentMean(ball).decode(0.4 * rng.normal(size=(n, ball.space.dim)))


def plan(budget, n=50, **options):
    return dp.plan(
        dp.FrechetMean(BALL), n=n, budget=budget, mechanism="tangent-gaussian", **options
    )


def test_sigmas_of_the_reference_values():
    values = json.loads(REFERENCE.read_text())
    unit = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)
    for row in values["analytic_gaussian_sigma_GS1"]:
        budget = dp.Approximate(str(row["eps"]), str(row["delta"]))
        made = dp.plan(dp.FrechetMean(unit), n=2, budget=budget, mechanism="tangent-gaussian")
        assert made.scale == pytest.approx(row["sigma_exact_mpmath"], rel=1e-9)
    for row in values["classical_gaussian_sigma_GS1"]:
        budget = dp.Approximate(str(row["eps"]), str(row["delta"]))
        options = {"mechanism": "tangent-gaussian", "gaussian": "classical"}
        made = dp.plan(dp.FrechetMean(unit), n=2, budget=budget, **options)
        assert made.scale == pytest.approx(row["sigma"], rel=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-6), (5.0, 1e-9)])
def test_delta_recomputed_from_the_privacy_loss(epsilon, delta):
    """The loss is N(mu^2/2, mu^2): its hockey-stick integral, by quadrature of that density."""
    made = plan(dp.Approximate(epsilon, delta))
    mu = made.sensitivity.value / made.scale
    loss = np.linspace(epsilon, mu**2 / 2 + 40 * mu, 200_001)
    density = stats.norm.pdf(loss, mu**2 / 2, mu)
    found = np.trapezoid(-np.expm1(epsilon - loss) * density, loss)
    assert found == pytest.approx(delta, rel=1e-5)
    smaller = 1.01 * mu
    tighter = np.trapezoid(
        -np.expm1(epsilon - loss) * stats.norm.pdf(loss, smaller**2 / 2, smaller), loss
    )
    assert tighter > delta


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_errors_follow_the_chi_square_law_with_power(budget):
    made = plan(budget)
    data = records(50)
    errors = SPACE.dist(dp.frechet_mean(SPACE, data).point, made.simulate(data, size=8000, seed=3))
    squares = (errors / made.scale) ** 2
    assert stats.kstest(squares, stats.chi2(6).cdf).pvalue > 1e-3
    assert stats.kstest(squares * 1.03**2, stats.chi2(6).cdf).pvalue < 1e-4
    assert made.expected_error == pytest.approx(np.mean(errors), rel=0.02)
    assert np.mean(errors <= made.error_quantile(0.95)) == pytest.approx(0.95, abs=0.01)


def test_exact_draws_have_the_law_of_the_simulation():
    made = plan(dp.GDP(mu=1))
    encoded = made.statistic.encode(records(50))
    drawn = made._mechanism.draw(made.calibration, encoded, SeededEntropy(1, exact=True), 400)
    center = dp.frechet_mean(SPACE, records(50)).point
    z = symmetric.to_vector(SPACE.log(center, drawn)) / made.scale
    assert stats.kstest(z.ravel(), stats.norm.cdf).pvalue > 1e-3

    def scale_p_value(factor):  # a test of the scale alone has far more power
        upper = stats.chi2(z.size).sf(np.sum((factor * z) ** 2))
        return 2 * min(upper, 1 - upper)

    assert scale_p_value(1.0) > 1e-3
    assert scale_p_value(1.1) < 1e-6
    assert scale_p_value(0.9) < 1e-6


def test_the_exact_mean_is_the_mean_of_the_rounded_records():
    statistic = TangentMean(BALL)
    coordinates = statistic.encode(records(200))
    exact = np.array([float(value) for value in exact_mean(statistic, coordinates)])
    np.testing.assert_allclose(exact, coordinates.mean(axis=0), atol=2e-9)


def test_an_outlier_moves_the_exact_mean_by_the_sensitivity_at_most():
    """Neighbours: the largest move over adversarial replacements, in exact arithmetic."""
    statistic, n = TangentMean(BALL), 11
    rng = np.random.default_rng(5)
    common = statistic.encode(records(n - 1, 6))
    bound = statistic.sensitivity(n).value
    largest = 0.0
    for _ in range(30):
        direction = rng.normal(size=6)
        direction *= 1e9 / np.linalg.norm(direction)
        pair = [
            exact_mean(statistic, np.concatenate([common, s * direction[None]])) for s in (1, -1)
        ]
        square = sum((a - b) ** 2 for a, b in zip(*pair, strict=True))
        assert square <= bound * bound  # rational numbers: no rounding anywhere
        largest = max(largest, float(square) ** 0.5)
    assert largest > 0.999999 * bound


def audit(scale_factor, mu=1.0, size=4000):
    """Lower bound on mu from releases of worst-case neighbours, at 99.9% confidence."""
    line = dp.Ball(dp.Euclidean(1), np.zeros(1), 1.0)
    made = dp.plan(dp.FrechetMean(line), n=4, budget=dp.GDP(mu=mu), mechanism="tangent-gaussian")
    weak = replace(made.calibration, scale=made.scale * scale_factor)
    draws = []
    for sign in (1.0, -1.0):
        rows = made.statistic.encode(np.array([[0.2], [0.1], [0.0], [sign]]))
        encoded = Encoded.of(rows)
        entropy = SeededEntropy(int(7 + sign), exact=True)
        draws.append(made._mechanism.draw(weak, encoded, entropy, size)[:, 0])
    threshold = (0.3 + 0.0) / 4
    hits, alarms = (int(np.sum(d > threshold)) for d in draws)
    power = stats.beta.ppf(0.0005, hits, size - hits + 1)
    false = stats.beta.ppf(0.9995, alarms + 1, size - alarms)
    return stats.norm.ppf(power) - stats.norm.ppf(false)


@pytest.mark.slow
def test_an_audit_brackets_the_claim_and_catches_a_mutant():
    assert 0.85 < audit(1.0) <= 1.0
    assert audit(0.8) > 1.0


def test_a_radius_from_the_data_is_caught_by_the_scale():
    """Mutant: clipping left out moves the mean further than the sensitivity claims."""
    statistic = TangentMean(BALL)
    wild = np.concatenate([statistic.encode(records(9)), 10 * np.ones((1, 6))])
    unclipped = np.linalg.norm(wild.mean(axis=0) - wild[:9].sum(axis=0) / 10)
    assert unclipped > statistic.sensitivity(10).value


def test_released_coordinates_lie_on_the_public_lattice():
    made = dp.plan(
        dp.FrechetMean(dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0)), n=20, budget=dp.GDP(mu=1)
    )
    assert made.mechanism == "tangent-gaussian"
    value = made.release(np.full((20, 3), 0.1)).value
    steps = value / 2.0**made.calibration.grid_exponent
    np.testing.assert_array_equal(steps, np.rint(steps))


def test_crossover_in_dimension_is_where_theory_says():
    """Laplace costs d/eps, Gaussian sigma sqrt(d) c_d: they cross near d = (eps sigma)^2."""
    budget = dp.Approximate(1, 1e-5)
    sigma = 3.730631634818
    chosen = {}
    for dim in range(2, 30):
        ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.0)
        statistic = dp.FrechetMean(ball)
        errors = {
            name: dp.plan(statistic, n=100, budget=budget, mechanism=name).expected_error
            for name in ("laplace", "tangent-gaussian")
        }
        chosen[dim] = min(errors, key=errors.get)
        unit = statistic.sensitivity(100, "sharp").value
        assert errors["laplace"] == pytest.approx(dim * unit, rel=1e-4)
        assert errors["tangent-gaussian"] == pytest.approx(
            sigma * stats.chi(dim).mean() * unit, rel=1e-4
        )
    first = min(dim for dim, name in chosen.items() if name == "tangent-gaussian")
    assert first == round(sigma**2)
    assert all((name == "laplace") == (dim < first) for dim, name in chosen.items())


def test_auto_follows_the_crossover_and_lists_the_rest():
    def best(dim):
        ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.0)
        return dp.plan(dp.FrechetMean(ball), n=1000, budget=dp.Approximate(1, 1e-5))

    low, high = best(4), best(40)
    assert (low.mechanism, high.mechanism) == ("laplace", "tangent-gaussian")
    assert "laplace" in {other.name for other in high.runners_up}
    assert "laplace" in str(high)


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_plan_and_release_survive_a_file(budget, tmp_path):
    made = plan(budget)
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.scale == made.scale
    release = again.release(records(50))
    release.save(tmp_path / "mean")
    loaded = dp.load_release(tmp_path / "mean")
    np.testing.assert_array_equal(loaded.value, release.value)
    assert loaded.guarantee.budget == budget
    assert SPACE.contains(loaded.value)


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_dp_event_states_the_gaussian_multiplier(budget):
    made = plan(budget)
    multiplier = made.dp_event.noise_multiplier
    assert multiplier == pytest.approx(made.scale / made.sensitivity.value, rel=1e-9)
    assert multiplier <= made.scale / made.sensitivity.value


def test_zcdp_and_gdp_agree():
    assert plan(dp.ZCDP(rho=0.5)).scale == pytest.approx(plan(dp.GDP(mu=1)).scale, rel=1e-12)


def test_profile_of_the_release_is_below_the_claim_at_every_epsilon():
    made = plan(dp.Approximate(1, 1e-5))
    mu = made.sensitivity.value / made.scale
    delta = ndtr(mu / 2 - 1 / mu) - np.exp(1) * ndtr(-mu / 2 - 1 / mu)
    assert delta <= 1e-5 < delta * (1 + 1e-6)


@pytest.mark.parametrize(
    ("budget", "options", "message"),
    [
        (dp.Pure(epsilon=1), {}, "unbounded"),
        (dp.Approximate(1, 1e-5), {"gaussian": "classical"}, "epsilon < 1"),
        (dp.Approximate(2, 1e-5), {"gaussian": "classical"}, "analytic"),
        (dp.Approximate(1.5, 1e-5), {"gaussian": "mirshani"}, "epsilon <= 1"),
        (dp.GDP(mu=1), {"gaussian": "guess"}, "gaussian must be"),
        (dp.GDP(mu=1), {"bound": "loose"}, "bound"),
    ],
)
def test_refusals_are_sentences(budget, options, message):
    with pytest.raises(GeomdpError, match=message):
        plan(budget, **options)


@pytest.mark.parametrize("delta", [1.0, -1e-5, 2.0, float("nan")])
def test_delta_outside_the_open_interval(delta):
    with pytest.raises(BudgetError, match="delta"):
        dp.Approximate(1, delta)


def test_curved_frechet_means_are_sent_elsewhere():
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    with pytest.raises(MechanismRefusedError, match="TangentMean, or wrapped-gaussian"):
        dp.plan(dp.FrechetMean(ball), n=10, budget=dp.GDP(mu=1), mechanism="tangent-gaussian")


@pytest.mark.parametrize("space", ["sphere:2", "spd:2", "hyperbolic:2", "planar-shapes:4"])
def test_curved_forecasts_cover_simulated_errors(space):
    from geomdp.spaces.specs import space_from_spec

    where = space_from_spec(space)
    origin = where.canonical(np.asarray(where.origin(np.zeros(1))))
    statistic = TangentMean(dp.Ball(where, origin, 0.4))
    made = dp.plan(statistic, n=5, budget=dp.GDP(mu=1))
    assert made.mechanism == "tangent-gaussian"
    assert "Fréchet mean of the clipped records is at most" in made.forecast.note
    for point in (origin, statistic.decode(np.full(where.dim, 0.4 / np.sqrt(where.dim)))):
        errors = where.dist(point, made.simulate(point, size=4000, seed=1))
        assert np.mean(errors) <= 1.03 * made.expected_error
