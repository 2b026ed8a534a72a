"""riemannian-gaussian: mu against theory and brute force, exact sampling, refusals."""

import numpy as np
import pytest
from riemannian_intervals import certified, enclosed_powers
from scipy import stats
from scipy.special import ndtr, ndtri

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import riemannian_mu
from geomdp.mechanisms.radial_cells import direction_cells
from geomdp.mechanisms.riemannian_mu import TwoLaws, width_for
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.radial_law import RiemannianGaussianLaw
from geomdp.noise.rejection import acceptance_rate, draw_floats

LAWS = [
    TwoLaws(2, True, 0.1215, 0.1215),
    TwoLaws(2, False, 0.1, 1.0),
    TwoLaws(10, False, 0.1, 1.0),
    TwoLaws(2, True, 0.5, 1.5),
    TwoLaws(5, True, 0.3, 0.2),
    TwoLaws(3, False, 0.05, 0.02),
]


@pytest.mark.parametrize(
    ("law", "mu"), [(LAWS[0], 0.9975), (LAWS[1], 0.117), (LAWS[2], 0.292)], ids=str
)
def test_values_of_the_theory(law, mu):
    assert certified(law) == pytest.approx(mu, abs=6e-4)
    assert certified(law) >= law.rough_mu()


def brute_force(law, losses, cells=1500):
    """Powers by a plain sum over (t, angle), straight from the definition."""
    end = np.pi if law.sphere else law.mode + 10 * law.sigma
    end = min(end, law.mode + 10 * law.sigma)
    t = (np.arange(cells) + 0.5)[:, None] * end / cells
    angle = (np.arange(cells) + 0.5)[None, :] * np.pi / cells
    if law.sphere:
        cosine = np.cos(law.shift) * np.cos(t) + np.sin(law.shift) * np.sin(t) * np.cos(angle)
        other, growth = np.arccos(np.clip(cosine, -1, 1)), np.sin(t)
    else:
        cosh = np.cosh(law.shift) * np.cosh(t) - np.sinh(law.shift) * np.sinh(t) * np.cos(angle)
        other, growth = np.arccosh(np.maximum(cosh, 1)), np.sinh(t)
    mass = growth ** (law.dim - 1) * np.sin(angle) ** (law.dim - 2)
    mass = mass * np.exp(-(t**2) / (2 * law.sigma**2))
    loss = (other**2 - t**2) / (2 * law.sigma**2)
    total = np.sum(mass)
    above = np.array([np.sum(mass[loss > x]) for x in losses]) / total
    below = np.array([np.sum(mass[loss < -x]) for x in losses]) / total
    return above, below


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_powers_agree_with_brute_force(law):
    rate = law.shift / law.sigma
    losses = np.array([0.0, 0.3, 1.0, 1.7]) * rate
    for ours, theirs in zip(law.powers(losses), brute_force(law, losses), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-3)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_gaussian_trade_off_with_the_certified_mu_is_below_the_true_one(law):
    mu = certified(law)
    losses = np.linspace(0, 6 * law.shift / law.sigma, 777)
    losses = losses[losses < law.last_loss]
    above, below = law.powers(losses)
    assert np.all(ndtr(ndtri(below) + mu) >= above)
    assert np.any(ndtr(ndtri(below) + 0.998 * mu) < above)  # a smaller mu is wrong


def losses_of(law):
    rate = law.shift / law.sigma
    return [min(rate * (z + rate / 2), 0.9 * law.last_loss) for z in (0.2, 3.0, 12.0)]


ENCLOSED = [*LAWS[:2], *LAWS[3:], TwoLaws(3, True, 1e-4, 1e-4), TwoLaws(4, True, 0.5, 0.05)]


@pytest.mark.parametrize("law", ENCLOSED, ids=str)
def test_powers_hold_what_balls_enclose(law):
    """The quadrature that a search looks at, and that the certificate is compared with below."""
    for loss in losses_of(law):
        ours = law.powers(np.array([loss]))
        for power, theirs in zip(ours, enclosed_powers(law, loss), strict=True):
            assert power[0] == pytest.approx(float(theirs.mid()), rel=1e-6)


@pytest.mark.parametrize("mu", [13, 30, 100, 1000])
@pytest.mark.parametrize("space", [dp.Sphere(2), dp.Hyperbolic(3)], ids=lambda s: s.spec)
def test_budgets_beyond_what_floats_resolve_are_refused_in_a_sentence(space, mu):
    center = np.asarray(space.origin(np.zeros(1)))
    statistic = dp.FrechetMean(dp.Ball(space, center, 0.3))
    with pytest.raises(MechanismRefusedError, match="calibrated up to mu = 12"):
        dp.plan(statistic, n=100, budget=dp.GDP(mu), mechanism="riemannian-gaussian")


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0, 0.0])
def test_a_mu_that_is_none_is_refused(monkeypatch, wrong):
    monkeypatch.setattr(TwoLaws, "certified_mu", lambda *_: wrong)
    with pytest.raises(MechanismRefusedError, match="could be certified"):
        width_for(2, True, 0.01, 1.0 + 1e-3)
    width_for.cache_clear()


def plainly_bisected(rough, wanted, low, high):
    while high / low > 1 + riemannian_mu.SLACK:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if rough(middle) <= wanted else (middle, high)
    return high


@pytest.mark.parametrize(
    "rough",
    [
        lambda width: 0.3 / width * (1 + 0.05 * width),
        lambda width: 0.3 / np.tanh(width),  # no power law: wide noise hides no more
        lambda width: 0.33 if width < 1.21 else 0.3,
        lambda width: np.inf if width < 1.2 else 0.3 / width,
    ],
    ids=["nearly a power", "bent", "jump", "not resolved"],
)
@pytest.mark.parametrize("wanted", [0.301, 0.311, 0.32])
def test_a_search_finds_what_bisecting_finds_with_fewer_looks(rough, wanted):
    looked = []

    def counted(width):
        looked.append(width)
        return rough(width)

    low, high = 0.7, 1.5
    found = riemannian_mu._bisected(counted, wanted, low, high)
    assert found == plainly_bisected(rough, wanted, low, high)
    if rough(1.0) == 0.3 * 1.05:
        assert len(looked) < 10  # of thirteen


@pytest.mark.parametrize("sphere", [True, False])
def test_mu_grows_with_the_distance(sphere):
    values = [TwoLaws(3, sphere, shift, 0.7).certified_mu() for shift in (0.01, 0.1, 0.3, 0.9)]
    assert values == sorted(values)


def test_small_noise_is_flat():
    assert TwoLaws(4, True, 1e-5, 1e-5).rough_mu() == pytest.approx(1.0, abs=1e-6)
    assert TwoLaws(4, False, 1e-5, 1e-5).rough_mu() == pytest.approx(1.0, abs=1e-6)


def test_delta_over_sigma_is_wrong_on_hyperbolic_space():
    sigma, certified = width_for(10, False, 0.1, 0.4)
    assert certified <= 0.4
    assert TwoLaws(10, False, 0.1, 0.1 / 0.4).certified_mu() > 0.4
    assert sigma > 1.02 * 0.1 / 0.4


def test_a_budget_that_no_width_meets_is_refused():
    with pytest.raises(MechanismRefusedError, match="wider noise hides no more"):
        width_for(10, False, 0.1, 0.2)


SPACES = [dp.Sphere(2), dp.Sphere(4, curvature=4.0), dp.Hyperbolic(2), dp.Hyperbolic(5)]


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
@pytest.mark.parametrize("sigma", [0.02, 0.5])
def test_radii_follow_the_law_with_power(space, sigma):
    foot = np.asarray(space.origin(np.zeros(1)))
    law = RiemannianGaussianLaw(space, foot, sigma)
    radii = space.dist(foot, draw_floats(law, SeededEntropy(0), 15_000))
    end = min(space.injectivity_radius, sigma * 9 + space.dim * sigma**2 + 4 * sigma)
    grid = np.linspace(0, end, 100_001)
    middle = (grid[1:] + grid[:-1]) / 2
    mass = np.exp(space.log_volume_envelope(middle) - (middle / sigma) ** 2 / 2)
    cdf = np.concatenate([[0.0], np.cumsum(mass)]) / np.sum(mass)

    def p_value(factor):
        return stats.kstest(factor * radii, lambda t: np.interp(t, grid, cdf)).pvalue

    assert p_value(1.0) > 1e-3
    assert p_value(1.04) < 1e-3
    assert acceptance_rate(law, SeededEntropy(1)) > 0.7


@pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)
def test_plan_release_and_file(space, tmp_path):
    center = np.asarray(space.origin(np.zeros(1)))
    statistic = dp.FrechetMean(dp.Ball(space, center, 0.3))
    made = dp.plan(statistic, n=100, budget=dp.GDP(mu=1), mechanism="riemannian-gaussian")
    assert made.calibration.cost.fits(dp.GDP(mu=1))
    assert made.guarantee.strength == "exact"
    assert made.guarantee.caveats == ()
    release = made.release(np.repeat(center[None], 100, axis=0))
    assert space.contains(release.value)
    release.save(tmp_path / "mean")
    assert dp.load_release(tmp_path / "mean").plan.scale == pytest.approx(made.scale, rel=1e-9)
    errors = space.dist(center, made.simulate(center, size=4000))
    assert np.mean(errors) == pytest.approx(made.expected_error, rel=0.03)


def test_it_beats_or_matches_the_wrapped_gaussian_on_the_sphere():
    statistic = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8))
    made = dp.plan(statistic, n=50, budget=dp.GDP(mu=1))
    assert made.mechanism == "riemannian-gaussian"
    assert {"wrapped-gaussian", "laplace"} <= {other.name for other in made.runners_up}


def test_a_sensitivity_around_the_sphere_is_refused():
    summary = dp.Summary(dp.Sphere(2), 3.2)
    with pytest.raises(MechanismRefusedError, match="reaches around"):
        dp.plan(summary, budget=dp.GDP(mu=1), mechanism="riemannian-gaussian")
    assert dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.GDP(mu=1)).scale > 0.09


@pytest.mark.parametrize("space", [dp.SPD(2), dp.Sphere(1), dp.Euclidean(2), dp.PlanarShapes(4)])
def test_other_spaces_are_refused(space):
    center = space.canonical(np.asarray(space.origin(np.zeros(1))))
    statistic = dp.FrechetMean(dp.Ball(space, center, 0.2))
    with pytest.raises(MechanismRefusedError, match="sphere or hyperbolic"):
        dp.plan(statistic, n=10, budget=dp.GDP(mu=1), mechanism="riemannian-gaussian")


def test_high_dimension_is_certified_or_refused_at_once():
    """Of cells near the poles nothing is resolved in dimension 500; bounds stay bounds."""
    cells = direction_cells(500)
    assert np.all((cells.mean > 0) & (cells.mean <= cells.high[1:]))
    assert 1 <= np.sum(cells.share) < 1 + 1e-12
    ball = dp.Ball(dp.Sphere(1001), np.eye(1, 1002)[0], 0.3)
    with pytest.raises(MechanismRefusedError, match="up to dimension 1000"):
        dp.plan(dp.FrechetMean(ball), n=100, budget=dp.GDP(1), mechanism="riemannian-gaussian")
