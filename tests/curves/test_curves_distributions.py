"""Mean distributions: records in three ways, exact diameters, bands that hold, the command."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.audit import Settings
from geomdp.audit.suspects import Suspects
from geomdp.cli import app
from geomdp.curves import FunctionRegression
from geomdp.curves.rising import weight_around
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.mechanisms.gaussian_noise import lattice_sums, mean_of_totals
from geomdp.noise.lattice import Lattice, lattice_vectors
from geomdp.report import report_html
from geomdp.statistics import statistic_from_json
from geomdp.testing import search_neighbours

RANGE = dp.DistributionMean(40, 400)


def readings(n, seed=0, size=60):
    """Readings of n persons, between 0 and 1."""
    return np.random.default_rng(seed).beta(2, 4, (n, size))


@pytest.mark.parametrize(
    "asked",
    [
        RANGE,
        dp.DistributionMean(40, 400, tau=50.0),
        dp.DistributionMean(40, 400, 20, levels=[0.1, 0.5, 0.9]),
        dp.DistributionMean(-1, 1, 30, levels=7, terms=4),
    ],
)
def test_no_search_moves_it_farther_than_stated_and_one_comes_there(asked):
    assert 0.999 < search_neighbours(asked, 4, steps=40).share <= 1
    assert float(asked.diameter) == 2 * asked.radius


def rising(tau=0.5, points=40, **more):
    asked = dp.DistributionMean(0, 1, points, center="uniform", tau=tau, **more)
    return dp.plan(asked, n=50, budget=dp.GDP(1)).statistic


@pytest.mark.parametrize(("tau", "least"), [(0.5, 0.9999), (0.35, 0.93)])
def test_searches_and_audits_come_where_functions_that_never_fall_lie_farthest_apart(tau, least):
    asked = rising(tau)
    assert least < search_neighbours(asked, 4, steps=0).share <= 1
    suspects = Suspects(dp.plan(asked, n=50, budget=dp.GDP(1)), Settings())
    assert least < max(law.size for law in suspects.laws) <= 1


def coordinates_of(asked, quantiles):
    """What records count as, from integers, in units of the noise."""
    lattice = Lattice.within(asked.radius, asked.record_bits)
    rows = lattice_vectors(asked.encode(quantiles), lattice)
    sums = [lattice_sums(asked, lattice, row[None]) for row in rows]
    means = np.array([[float(x) for x in mean_of_totals(asked, one, 1)] for one in sums])
    return means / asked.noise_profile


def farthest(rows):
    """Largest distance of two rows."""
    squares = np.sum(rows**2, axis=1)
    apart = squares[:, None] + squares - 2 * rows @ rows.T
    return float(np.sqrt(np.max(apart)))


@pytest.mark.parametrize("tau", [1.0, 0.45, 0.4, 0.35, 0.3])
def test_of_functions_that_never_fall_no_two_are_farther_apart_than_stated(tau):
    """All steps, between which the theorem has its worst case, and mixtures of a few."""
    asked, rng = rising(tau), np.random.default_rng(0)
    steps = np.tri(41, 40, -1)[:, ::-1]
    mixed = [rng.dirichlet(np.ones(k)) @ steps[rng.integers(0, 41, k)] for k in (2, 3, 4) * 40]
    found = farthest(coordinates_of(asked, np.concatenate([steps, mixed])))
    assert asked.rising
    assert found <= float(asked.diameter)
    if tau == 1.0:  # where no ball cuts the worst pair off, it comes there
        assert found > 0.9998 * float(asked.diameter)
    reach = np.linalg.norm(coordinates_of(asked, steps), axis=1).max()
    assert 0.9 * float(asked.reach_squared) < reach**2 <= float(asked.reach_squared) or tau != 0.3


def test_a_weight_a_little_larger_would_break_the_promise():
    """The weights are the largest there are: 1% more, and two steps are too far apart."""
    asked = rising(1.0, 200)
    of_mean, around = asked.door.weights
    assert weight_around(of_mean, 1.0) == pytest.approx(2 * (1 + np.sqrt(1 - of_mean)), rel=1e-12)
    shares = np.arange(201) / 200
    worst = [of_mean * shares**2 + b * (shares - shares**2) for b in (around, 1.01 * around)]
    assert worst[0].max() <= 1 < worst[1].max()


def test_vectors_that_fall_would_lie_farther_apart_and_are_made_to_rise_in_integers():
    """Whatever the floats did: between what the integers keep no distance is too long."""
    asked, rng = rising(0.4), np.random.default_rng(0)
    lattice = Lattice.within(asked.radius, asked.record_bits)
    signs = np.concatenate([rng.choice([-1, 1], (60, 40)), 1 - 2 * (np.arange(40) % 2)[None]])
    hostile = lattice_vectors(np.concatenate([signs, -signs]) * asked.radius, lattice)
    plain = np.array([asked.basis @ row for row in hostile * lattice.step]) / asked.noise_profile
    assert farthest(plain) > 1.3 * float(asked.diameter)
    kept = asked.kept_short(hostile, lattice.largest_square)
    made = np.array([asked.basis @ row for row in kept * lattice.step]) / asked.noise_profile
    assert farthest(made) <= float(asked.diameter)
    functions = np.rint(asked.door.center / asked.door.step) + kept
    assert np.all(np.diff(functions, axis=1) >= 0)
    assert functions.min() >= 0
    assert functions.max() <= 1 / asked.door.step
    np.testing.assert_array_equal(asked.kept_short(hostile[:1], lattice.largest_square), kept[:1])


def test_sums_of_functions_that_rise_are_exact_and_nearly_what_records_say():
    asked = rising(0.5, 60)
    values = np.sort(readings(300, size=60), axis=1)
    lattice = Lattice.within(asked.radius, asked.record_bits)
    rows = asked.kept_short(lattice_vectors(asked.encode(values), lattice), lattice.largest_square)
    base = np.rint(np.ldexp(asked.basis, 30)).astype(np.int64).astype(object)
    assert list(asked.integer_sums(rows)) == list(base @ rows.astype(object).sum(axis=0))
    release = dp.plan(asked, n=300, budget=dp.GDP(10**5)).release(values)
    np.testing.assert_allclose(release.value, asked._quantiles(values).numbers.mean(0), atol=1e-5)
    again = statistic_from_json(asked.to_json())
    assert (again.rising, again.diameter) == (True, asked.diameter)


def test_plans_let_functions_rise_where_that_is_less_noise():
    wide, narrow = (rising(tau) for tau in (0.5, 0.25))
    assert wide.rising
    assert not narrow.rising
    errors = [
        dp.plan(asked, n=100, budget=dp.GDP(1), mechanism="tangent-gaussian").expected_error
        for asked in (wide, RANGE)
    ]
    assert errors[0] < 0.1 < errors[1]
    noise = wide.noise_profile
    assert noise[0] < 1.11
    assert np.all(noise[1:] < 0.6)


def test_readings_that_are_not_clipped_would_lie_farther_apart_than_stated():
    records = [[1e4, 1e4], [40.0]]
    plain = RANGE._quantiles(records).numbers
    assert np.sqrt(np.mean((plain[0] - plain[1]) ** 2)) > 20 * float(RANGE.diameter)
    rows = RANGE.encode(records)
    assert np.linalg.norm(rows[0] - rows[1]) == pytest.approx(float(RANGE.diameter))


def test_nobody_without_readings_is_the_zero_function():
    """Zeros are far below the range; the middle of it is within half of everybody."""
    admitted = RANGE.admit([[100.0], [], [float("nan")], ["high"]])
    assert set(admitted.invalid) == {1, 2, 3}
    assert not np.any(admitted.records[1:])
    assert np.linalg.norm(RANGE.to_coordinates(np.zeros(200))) > RANGE.radius
    np.testing.assert_allclose(RANGE.decode(admitted.records[1]), 220.0)


def test_the_three_ways_of_writing_agree():
    values = np.sort(readings(3, size=200), axis=1)
    plain = dp.DistributionMean(0, 1)
    rows = plain.encode(values)
    np.testing.assert_allclose(plain.decode(rows), values, atol=1e-12)
    levels = dp.DistributionMean(0, 1, levels=plain.places).encode(values)
    np.testing.assert_allclose(rows, levels, atol=1e-12)
    edges = np.linspace(0, 1, 401)
    counts = [np.histogram(one, edges)[0] for one in values]
    binned = dp.DistributionMean(0, 1, bins=edges).encode(counts)
    assert np.max(np.linalg.norm(rows - binned, axis=1)) < 1 / 400
    np.testing.assert_array_equal(
        plain.encode([[0.3, 0.1], [0.2]]), plain.encode([[0.1, 0.3], [0.2]])
    )


def test_a_record_does_not_depend_on_the_others():
    values = readings(40)
    whole = RANGE.encode(360 * values + 40)
    for row in (0, 17, 39):
        alone = RANGE.encode([list(360 * values[row] + 40)])
        assert alone[0].tobytes() == whole[row].tobytes()


def test_readings_one_a_row_are_gathered_by_person_across_blocks(monkeypatch):
    """Sums of counts are exact, so that blocks and the order of rows change nothing."""
    from geomdp.plans import pooling
    from geomdp.sources import source

    rng = np.random.default_rng(1)
    rows, who = rng.beta(2, 4, (900, 1)), rng.integers(0, 9, 900).astype(str)
    mean = dp.DistributionMean(0, 1, 50)
    one = pooling.one_record_a_person(mean, dp.Records(rows, person=who), 10, "refuse")
    order = rng.permutation(900)
    other = pooling.one_record_a_person(
        mean, dp.Records(rows[order], person=who[order]), 10, "refuse"
    )
    np.testing.assert_array_equal(np.asarray(one.points), np.asarray(other.points))
    monkeypatch.setattr(source, "BLOCK_ROWS", 64)
    cut = pooling.one_record_a_person(mean, dp.Records(rows, person=who), 10, "refuse")
    np.testing.assert_array_equal(np.asarray(one.points), np.asarray(cut.points))
    wanted = np.sort(rows[who == "0"][:, 0])
    found = mean.decode(mean.of_persons.encode(np.asarray(one.points)[:1]))[0]
    whole = mean.decode(mean.encode([wanted]))[0]
    assert np.sqrt(np.mean((found - whole) ** 2)) < 1 / 100
    made = dp.plan(mean, n=10, budget=dp.GDP(5), unit=dp.Unit.person())
    assert made.release(dp.Records(rows, person=who)).value.shape == (50,)


def test_projection_is_the_nearest_and_shortens_no_way_to_a_distribution():
    mean, rng = dp.DistributionMean(0, 1, 40), np.random.default_rng(0)
    for _ in range(50):
        noisy = rng.normal(0.5, 0.6, 40)
        inside = np.sort(rng.uniform(0, 1, 40))
        found = mean.mean_point(noisy)
        assert np.all(np.diff(found) >= 0)
        assert 0 <= found[0] <= found[-1] <= 1
        assert np.sum((found - inside) ** 2) <= np.sum((noisy - inside) ** 2) + 1e-12
        # Kolmogorov's criterion: no distribution lies on the other side.
        assert np.sum((noisy - found) * (inside - found)) < 1e-9
    assert np.all(np.isfinite(mean.mean_point(np.full(40, np.nan))))


def test_the_band_holds_the_mean_everywhere_as_often_as_it_says_and_not_always():
    mean = dp.DistributionMean(0, 1, 64)
    values = readings(200)
    truth = mean.estimate(mean.encode(values))
    made = dp.plan(mean, n=200, budget=dp.GDP(1))
    found = [dp.distribution_of(made.release(values)) for _ in range(60)]
    held = [bool(np.all((x.lower <= truth) & (truth <= x.upper))) for x in found]
    assert sum(held) >= 51
    assert np.mean([np.mean(x.upper - x.lower) for x in found]) < 0.25
    narrow = [dp.distribution_of(made.release(values), level=0.2) for _ in range(30)]
    assert not all(np.all((x.lower <= truth) & (truth <= x.upper)) for x in narrow)
    raw = np.mean([np.mean((made.release(values).value - truth) ** 2) for _ in range(20)])
    assert np.mean([np.mean((x.quantiles - truth) ** 2) for x in found]) < raw / 3


def test_shares_and_differences_are_told_in_words(with_reports):
    mean = dp.DistributionMean(0, 1, above=(0.5,))
    made = dp.plan(mean, n={"a": 400, "b": 400}, budget=dp.GDP(2))
    values = np.concatenate([readings(400), 0.2 + 0.8 * readings(400, 1)])
    release = made.release(dp.Records(values, group=["a"] * 400 + ["b"] * 400))
    one = dp.distribution_of(release.parts["a"])
    share = one.share_above(0.5, of=24)
    assert share.low <= share.value <= share.high
    assert share.value == pytest.approx(24 * np.mean(values[:400] > 0.5), abs=1.5)
    other = dp.compare_distributions(release.parts["b"], release.parts["a"])
    assert other.differ
    assert other.share_above(0.5).value > 0
    assert other.distance == pytest.approx(0.13, abs=0.05)
    page = report_html(release.parts["a"])
    assert "above 0.5" in page
    assert "barycentre" in page
    with pytest.raises(GeomdpError, match="take a part"):
        dp.distribution_of(release)


def test_other_budgets_balls_and_regressions_serve():
    mean = dp.DistributionMean(0, 1, 60)
    pure = dp.plan(mean, n=500, budget=dp.Pure(1))
    assert 2 <= pure.statistic.terms < 15
    assert pure.expected_error < 0.05
    assert dp.distribution_of(pure.release(readings(500))).quantiles.shape == (60,)
    ball = dp.DistributionMean(0, 1, 60, center="uniform", tau=0.2)
    errors = [dp.plan(x, n=500, budget=dp.GDP(1)).expected_error for x in (mean, ball)]
    assert errors[1] < 0.9 * errors[0]
    found = dp.plan(dp.Refined(mean), n=2000, budget=dp.GDP(2)).release(readings(2000))
    assert dp.distribution_of(found).quantile(0.5).value == pytest.approx(0.31, abs=0.05)
    asked = FunctionRegression(mean, {"age": (20, 90)})
    ages = np.linspace(20, 90, 500)
    later = readings(500) * (0.5 + ages[:, None] / 180)
    release = dp.plan(asked, n=500, budget=dp.GDP(3)).release(
        dp.Records(later, covariates={"age": ages})
    )
    assert release.predict(age=85)[30] > release.predict(age=25)[30]


def test_distributions_by_age_are_predicted_and_projected_and_live_a_whole_life(tmp_path):
    """Means at two ages are those of people of that age, nearer once they do not fall."""
    rng, n = np.random.default_rng(0), 1500
    ages = rng.uniform(20, 90, n)
    raw = 70 + 0.5 * ages[:, None] + 15 * rng.standard_normal((n, 96))
    mean = dp.DistributionMean(40, 400, 60)
    plan = dp.plan(FunctionRegression(mean, {"age": (20, 90)}), n=n, budget=dp.GDP(1))
    plan.save(tmp_path / "plan.json")
    records = dp.Records(raw, covariates={"age": ages})
    release = dp.load_plan(tmp_path / "plan.json").release(records, folder=tmp_path / "out")
    assert dp.verify(tmp_path / "out", plan=tmp_path / "plan.json").problems == ()
    away = []
    for age in (30, 80):
        truth = np.quantile(70 + 0.5 * age + 15 * rng.standard_normal(40_000), mean.places)
        found = release.predict(age=age)
        projected = mean.mean_point(found)
        assert np.min(np.diff(projected)) >= 0
        errors = [float(np.sqrt(np.mean((one - truth) ** 2))) for one in (found, projected)]
        assert errors[1] <= errors[0]
        away.append(errors[1])
    assert max(away) < 8 < 0.5 * (80 - 30) / 2  # half of what 50 years change is 12.5


@pytest.mark.parametrize(
    "asked", [RANGE, dp.DistributionMean(0, 1, 9, "uniform", 0.2, levels=[0.2, 0.5], above=(0.3,))]
)
def test_it_is_written_down_and_read_again(asked):
    again = statistic_from_json(asked.to_json())
    assert again.to_json() == asked.to_json()
    np.testing.assert_array_equal(again.center, asked.center)


def test_what_is_no_range_or_record_is_refused():
    for wrong in ((1, 1), (2, 1), (0, 1, 1), (0, 1, 5, [1, 0, 0, 0, 0]), (0, 1, 5, None, 3.0)):
        with pytest.raises(GeomdpError):
            dp.DistributionMean(*wrong)
    with pytest.raises(GeomdpError, match="not both"):
        dp.DistributionMean(0, 1, bins=[0, 1], levels=3)
    with pytest.raises(InvalidRecordError):
        dp.DistributionMean(0, 1, bins=[0, 0.5, 1]).encode([[1, -1]])


def test_the_command_takes_long_tables(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"p{i},{40 + 300 * v:.1f}" for i in range(30) for v in rng.beta(2, 4, 20)]
    (tmp_path / "cgm.csv").write_text("\n".join(["patient,glucose", *lines]))
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    said = CliRunner().invoke(
        app,
        [
            *("plan", "--space", "distributions:40:400", "--above", "180", "--n", "30"),
            *("--unit", "person", "--mu", "2", "--out", str(plan)),
        ],
    )
    assert said.exit_code == 0, said.output
    said = CliRunner().invoke(
        app,
        [
            *("release", str(plan), str(tmp_path / "cgm.csv"), "--column", "glucose"),
            *("--person", "patient", "--out", str(out)),
        ],
    )
    assert said.exit_code == 0, said.output
    table = np.loadtxt(out / "quantiles.csv", delimiter=",", skiprows=1)
    assert table.shape == (200, 4)
    assert np.all(np.diff(table[:, 1]) >= 0)
    assert CliRunner().invoke(app, ["verify", str(out)]).exit_code == 0


def test_a_jump_is_kept_though_polynomials_cannot_follow_it():
    """Half of everybody's readings at one end: what lies beyond the polynomials is loud."""
    mean = dp.DistributionMean(0, 1)
    values = np.tile([0.0, 1.0], (1000, 20))
    truth = mean.estimate(mean.encode(values))
    release = dp.plan(mean, n=1000, budget=dp.GDP(3)).release(values)
    found = dp.distribution_of(release)
    assert np.sqrt(np.mean((found.quantiles - truth) ** 2)) < 0.02
    assert bool(np.all((found.lower <= truth + 1e-9) & (truth <= found.upper + 1e-9)))
