"""An audit of mean functions that brackets mu, the mutants it catches, and what is refused.

The auditor knows everything public: it fits the laws of the released coefficients on neighbouring
data sets from some draws, and bounds mu from below by the likelihood-ratio test on others.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, Matern, PoweredExponential
from geomdp.curves.datasets import closed_curves
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.mechanisms.grids import spreads_of
from geomdp.noise.entropy import SystemEntropy
from geomdp.statistics.sensitivity import Sensitivity

N, MU = 5, 1.0
TRAINING, DRAWS = 10_000, 30_000
#: Chance of a false alarm, per count.
MISS = 1e-5
KERNEL = PoweredExponential(1.0)
CIRCLE = FunctionMean(np.sin(np.arange(80)), 0.3, KERNEL, 0.01, noise="kernel", resampling=None)
MEANS = {
    "circle": CIRCLE,
    "matched": replace(CIRCLE, noise="matched"),
    "interval": FunctionMean(
        np.zeros(20), 2.0, Matern(3.0), 0.02, IntervalGrid(np.geomspace(1, 20, 20))
    ),
    "weighted": FunctionMean(
        np.zeros((3, 40)), 0.5, KERNEL, [0.01, 0.01, 0.005], weights=[1.0, 2.0, 0.3]
    ),
}


def neighbours(mean, one, other):
    """Data sets that differ in a record, ``one`` or ``other`` times the extremal function.

    The extremal function has the clipping norm where shrinkage over noise peaks; the other records
    are the template.
    """
    unit = np.zeros(mean.vector_dim)
    unit[np.argmax(mean.shrinkage / mean.noise_profile)] = mean.radius
    bump = mean.decode(unit) - mean.template
    common = [mean.template] * (N - 1)
    return tuple(np.stack([*common, mean.template + factor * bump]) for factor in (one, other))


#: The worst case, the same far outside the ball, and one outlier against none.
PAIRS = {"extremal": (1, -1), "far outside": (50, -50), "outlier": (50, 0.01)}


def honest(mean, records, size, seed, **options):
    """Draw from the mechanism as planned, through the seeded path."""
    return dp.plan(
        mean, n=N, budget=dp.GDP(mu=MU), mechanism="tangent-gaussian", **options
    ).simulate(records, size, seed)


def tau_from_the_data(mean, records, size, seed):
    """Mutant: the clipping norm is the largest norm among the records."""
    wide = replace(mean, tau=1e6).encode(records)
    return honest(replace(mean, tau=np.linalg.norm(wide, axis=1).max()), records, size, seed)


def template_from_the_data(mean, records, size, seed):
    """Mutant: curves are measured from their own mean, which is added back without noise."""
    return honest(replace(mean, template=records.mean(axis=0)), records, size, seed)


@dataclass(frozen=True, eq=False)
class HalfTheDiameter(FunctionMean):
    """Mutant: tau where 2 tau belongs, as if a record were added to nothing."""

    def sensitivity(self, n, bound="sharp"):
        sound = super().sensitivity(n, bound)
        return replace(sound, value=sound.value / 2)


@dataclass(frozen=True, eq=False)
class MatrixEigenvalues(FunctionMean):
    """Mutant: eigenvalues of the kernel matrix in the penalty, with norms and noise in L2."""

    @cached_property
    def shrinkage(self):
        matrix_values = self.grid.size * self.spectrum.values
        return matrix_values / (matrix_values + self.phi)

    def sensitivity(self, n, bound="paper"):
        return Sensitivity(2 * self.tau / (n * float(np.sqrt(self.phi))), bound, "none")


def as_mutant(kind, mean):
    return kind(mean.template, mean.tau, mean.kernel, mean.phi, mean.grid, noise=mean.noise)


def coefficients(mean, values):
    return mean.spectrum.analyse(values - mean.template).reshape(len(values), -1)


def audited_mu(simulate, mean, pair):
    """Bounds on the mu that a likelihood-ratio test between the two released laws shows."""
    samples = [
        coefficients(mean, simulate(mean, records, TRAINING + DRAWS, seed))
        for seed, records in enumerate(pair, start=1)
    ]
    fits = [(part.mean(axis=0), part.std(axis=0)) for part in (s[:TRAINING] for s in samples)]

    def score(x):
        logs = [-np.sum(((x - m) / s) ** 2 / 2 + np.log(s), axis=1) for m, s in fits]
        return logs[0] - logs[1]

    hits, alarms = (int(np.sum(score(sample[TRAINING:]) > 0)) for sample in samples)
    return (
        _deviate(hits, low=True) - _deviate(alarms, low=False),
        _deviate(hits, low=False) - _deviate(alarms, low=True),
    )


def _deviate(count, low):
    """Bound on the normal deviate of a probability, from a count in DRAWS (Clopper-Pearson)."""
    if low:
        return stats.norm.ppf(stats.beta.ppf(MISS, count, DRAWS - count + 1) if count else 0.0)
    full = count == DRAWS
    return stats.norm.ppf(1.0 if full else stats.beta.ppf(1 - MISS, count + 1, DRAWS - count))


def exact_mu(made, pair):
    """The mu between the ideal laws of two data sets: their means in rational arithmetic."""
    means = [exact_mean(made.statistic, made.statistic.encode(records)) for records in pair]
    shift = np.array([float(a - b) for a, b in zip(*means, strict=True)])
    return float(np.linalg.norm(shift / spreads_of(made.statistic, made.scale)))


@pytest.mark.parametrize("name", sorted(MEANS))
@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_the_exact_trade_off_attains_mu_and_never_exceeds_it(name, mu):
    mean = MEANS[name]
    made = dp.plan(mean, n=N, budget=dp.GDP(mu=mu), mechanism="tangent-gaussian")
    found = {key: exact_mu(made, neighbours(mean, *pair)) for key, pair in PAIRS.items()}
    assert found["extremal"] == pytest.approx(mu, rel=1e-6)
    assert found["far outside"] == pytest.approx(mu, rel=1e-6)
    assert max(found.values()) <= mu


@pytest.mark.parametrize("name", sorted(MEANS))
def test_the_audit_brackets_mu(name):
    mean = MEANS[name]
    low, high = audited_mu(honest, mean, neighbours(mean, *PAIRS["extremal"]))
    assert 0.9 * MU < low <= MU <= high < 1.1 * MU


@pytest.mark.parametrize("pair", sorted(PAIRS))
def test_the_audit_accepts_every_pair(pair):
    assert audited_mu(honest, CIRCLE, neighbours(CIRCLE, *PAIRS[pair]))[0] <= MU


@pytest.mark.parametrize("mutant", [tau_from_the_data, template_from_the_data])
def test_the_audit_catches_what_comes_from_the_data(mutant):
    found = {key: audited_mu(mutant, CIRCLE, neighbours(CIRCLE, *PAIRS[key])) for key in PAIRS}
    assert found["outlier"][0] > 5 * MU  # the scale, or an unclipped mean, tells who was there


def test_the_audit_catches_a_template_from_the_data_within_the_ball():
    """No outlier needed: what the template takes over is neither shrunk nor noised for."""
    low, _ = audited_mu(template_from_the_data, CIRCLE, neighbours(CIRCLE, 1, -1))
    assert low > 1.5 * MU


@pytest.mark.parametrize(
    ("kind", "bound", "times"),
    [(HalfTheDiameter, "sharp", 2.0), (MatrixEigenvalues, "paper", 3.64)],
)
def test_the_audit_catches_wrong_sensitivities(kind, bound, times):
    mutant = as_mutant(kind, CIRCLE)
    pair = neighbours(mutant, *PAIRS["extremal"])
    low, high = audited_mu(partial(honest, bound=bound), mutant, pair)
    assert MU < low <= times * MU <= high
    made = dp.plan(mutant, n=N, budget=dp.GDP(mu=MU), mechanism="tangent-gaussian", bound=bound)
    assert exact_mu(made, pair) == pytest.approx(times * MU, abs=0.005)


def test_the_papers_calibration_is_at_least_twice_as_noisy_at_equal_mu():
    for budget in (dp.GDP(mu=1), dp.ZCDP(rho=0.1), dp.Approximate(0.5, 1e-5)):
        sharp = dp.plan(CIRCLE, n=30, budget=budget, mechanism="tangent-gaussian")
        paper = dp.plan(CIRCLE, n=30, budget=budget, mechanism="tangent-gaussian", bound="paper")
        drawn = [made.simulate(CIRCLE.template, size=2000).std(axis=0) for made in (sharp, paper)]
        assert paper.scale >= 2 * sharp.scale * (1 - 1e-8)
        np.testing.assert_allclose(drawn[1] / drawn[0], paper.scale / sharp.scale, rtol=1e-6)


def test_mirshani_through_the_plan(tmp_path):
    budget = dp.Approximate(0.5, 1e-5)
    made = dp.plan(CIRCLE, n=30, budget=budget, gaussian="mirshani")
    factor = np.sqrt(2 * np.log(2 / 1e-5)) / 0.5  # Theorem A.2 with sigma squared
    assert made.scale == pytest.approx(factor * CIRCLE.sensitivity(30).value, rel=1e-9)
    assert made.scale > dp.plan(CIRCLE, n=30, budget=budget).scale
    made.save(tmp_path / "plan.json")
    release = dp.load_plan(tmp_path / "plan.json").release(np.stack([CIRCLE.template] * 30))
    assert release.plan.scale == made.scale
    assert release.plan.calibration.request.gaussian == "mirshani"
    with pytest.raises(MechanismRefusedError, match="epsilon <= 1"):
        dp.plan(
            CIRCLE,
            n=30,
            budget=dp.Approximate(2, 1e-5),
            mechanism="tangent-gaussian",
            gaussian="mirshani",
        )


def noise_of(mean):
    return dp.plan(mean, n=1000, budget=dp.GDP(mu=1), mechanism="tangent-gaussian").expected_error


def test_centring_alone_lowers_the_noise_in_proportion_to_the_norm():
    """The same curves, none of them clipped: around the ellipse 0.12 is enough, around 0 1.1."""
    family = closed_curves(1000, seed=1)
    centred = FunctionMean(family.template, 0.12, KERNEL, 0.01)
    uncentred = FunctionMean(np.zeros((2, 80)), 1.1, KERNEL, 0.01)
    for mean in (centred, uncentred):
        assert np.linalg.norm(mean.encode(family.records), axis=1).max() < 0.999 * mean.radius
    assert noise_of(uncentred) / noise_of(centred) == pytest.approx(1.1 / 0.12, rel=0.01)


def test_joint_clipping_alone_lowers_the_noise():
    """The same two coordinates: one norm for both against a norm, and a share of mu, for each."""
    family = closed_curves(1000, seed=1)
    centred = family.records - family.template
    apart = np.sqrt(np.mean(centred**2, axis=-1)).max(axis=0)  # a study of synthetic records
    together = np.sqrt(np.mean(np.sum(centred**2, axis=1), axis=-1)).max()
    per_curve = FunctionMean.per_curve(family.template, apart, KERNEL, 0.01)
    joint = FunctionMean(family.template, together, KERNEL, 0.01)
    assert noise_of(joint) < 0.95 * noise_of(per_curve)


def bad_curve(value):
    records = np.stack([CIRCLE.template] * N)
    records[2, 3] = value
    return records


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        (bad_curve(np.nan), "Record 3: sample 3 is missing"),
        (np.zeros((N, 3)), "Record 1: a curve needs at least 4 points, not 3"),
        (np.zeros((N, 81)), "Record 1: it has 81 points where the template has 80"),
        ([np.zeros(80)] * 4 + [np.zeros(50)], "Record 5: it has 50 points"),
        (np.zeros((N + 1, 80)), "The plan is for 5 records, but there are 6"),
    ],
)
def test_bad_records_are_refused_before_any_noise_is_drawn(records, sentence, monkeypatch):
    made = dp.plan(CIRCLE, n=N, budget=dp.GDP(mu=MU))
    taken = []
    monkeypatch.setattr(SystemEntropy, "take", lambda self, count: taken.append(count))
    with pytest.raises(GeomdpError, match=sentence) as caught:
        made.release(records)
    assert not taken
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: PoweredExponential(1.0, alpha=-0.5), "alpha must be positive, not -0.5"),
        (lambda: PoweredExponential(1.0, alpha=0.0), "alpha must be positive, not 0"),
        (lambda: replace(CIRCLE, kernel=PoweredExponential(1.0, 1.01)), r"alpha in \(0, 1\]"),
        (lambda: CircleGrid.from_points(np.linspace(0, 1, 81)), "drop the last point"),
        (lambda: CircleGrid(3), "at least 4 points, not 3"),
        (lambda: FunctionMean(np.zeros(3), 1.0, KERNEL, 0.01), "at least 4 points, not 3"),
        (lambda: replace(CIRCLE, template=np.zeros(79)), r"shape \(79,\) but the grid has \(80,\)"),
        (lambda: replace(CIRCLE, tau=np.nan), "tau must be positive, not nan"),
        (lambda: replace(CIRCLE, phi=-1.0), "phi must be positive"),
    ],
)
def test_bad_parameters_have_a_clear_sentence(make, sentence):
    with pytest.raises(GeomdpError, match=sentence):
        make()
