"""Told is tested like done: numbers and lines on pages against laws known by other means.

Spaces are flat where a law has a closed form: on the line the noise of ``laplace`` is Laplace of
scale 2r/(n epsilon), in the plane its length has the density t exp(-t/scale)/scale^2.
"""

import json
import re
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from report_charts import Chart
from report_checks import check_page
from scipy.optimize import brentq
from scipy.stats import chi2

import geomdp as dp
from geomdp.privacy import GDP, ZCDP, Approximate, Pure, Unit
from geomdp.releases.ball_choice import choose_ball
from geomdp.report import plan_html, report_html
from geomdp.report.ball_page import ball_html
from geomdp.report.odds import first_row_words, meaning
from geomdp.report.pictures.charts import odds_chart
from geomdp.report.release_pages import release_page

N, RADIUS = 40, 1.0
NORMAL = NormalDist()


def flat_mean(dim):
    return dp.FrechetMean(dp.Ball(dp.Euclidean(dim), np.zeros(dim), RADIUS))


def flat_plan(dim=1, epsilon=1, n=N, **more):
    return dp.plan(flat_mean(dim), n=n, budget=Pure(epsilon), mechanism="laplace", **more)


def scale(epsilon=1.0, n=N):
    return 2 * RADIUS / (n * epsilon)


def length_below(share):
    """Quantile of the length of plane Laplace noise, in units of its scale."""
    return brentq(lambda t: 1 - (1 + t) * exp(-t) - share, 0, 100)


# -- the chart of the error -------------------------------------------------------------


@pytest.mark.parametrize("make", [plan_html, lambda plan: report_html(plan.release(zeros(plan)))])
def test_the_error_chart_is_the_law_of_the_noise(make):
    plan = flat_plan()
    chart = Chart(make(plan), "Distribution of the error")
    curve, *lines = chart.lines
    assert curve.has("accent")
    law = 100 * (1 - np.exp(-curve.points[:, 0] / scale()))
    assert np.allclose(curve.points[:, 1], law, atol=0.5)
    assert curve.points[-1, 0] > log(100) * scale()  # all but one in a hundred releases is shown
    drawn = [line.points[0, 0] for line in lines]
    assert drawn == pytest.approx([scale(), log(20) * scale()], rel=0.01)
    at, side = chart.text("expected")
    assert (at < drawn[0] + 1e-9, side) == (True, "end")
    at, side = chart.text("95%")
    assert at >= drawn[1] - 1e-9
    assert side == "start"


def zeros(plan):
    return np.zeros((plan.n, plan.statistic.space.dim))


def test_the_errors_in_words_are_those_of_the_law():
    text = check_page(report_html(flat_plan().release(zeros(flat_plan())))).text
    words = r"The error by noise is ([\d.]+) on average, and at most ([\d.]+) in 95 of 100"
    found = re.search(words, text)
    assert [float(x) for x in found.groups()] == pytest.approx(
        [scale(), log(20) * scale()], rel=0.01
    )
    assert float(re.search(r"Expected error by noise ([\d.]+)", text)[1]) == pytest.approx(
        scale(), rel=0.01
    )
    text = check_page(plan_html(flat_plan(), [Pure(1)])).text
    row = re.search(r"this plan ([\d.]+) ([\d.]+) green: ([\d.]+)% of the radius", text)
    told = [float(x) for x in row.groups()]
    assert told == pytest.approx([scale(), log(20) * scale(), 100 * scale() / RADIUS], rel=0.01)


def test_the_faint_ring_holds_the_truth_in_95_of_100():
    plan = flat_plan(dim=2)
    value = plan.release(zeros(plan))
    page = report_html(value)
    chart = Chart(page, "The released value")
    (ring,) = chart.filled
    apart = np.linalg.norm(ring - value.value, axis=1)
    assert apart == pytest.approx(length_below(0.95) * scale(), rel=0.02)
    told = float(re.search(r"where the distance ([\d.]+) is reached", check_page(page).text)[1])
    assert told == pytest.approx(length_below(0.95) * scale(), rel=0.02)
    (edge,) = [line for line in chart.lines if line.dashes]
    assert np.linalg.norm(edge.points, axis=1) == pytest.approx(RADIUS, rel=0.01)
    assert chart.marks[-1][0] == pytest.approx(value.value, abs=0.01)


# -- the chart of the odds --------------------------------------------------------------


def gaussian_bound(mu):
    return lambda a: NORMAL.cdf(NORMAL.inv_cdf(a) + mu)


def approximate_bound(epsilon, delta):
    """The larger of the two errors that (epsilon, delta) allows, as power."""
    return lambda a: min(
        1.0, exp(epsilon) * a + delta, max(0.0, 1 - exp(-epsilon) * (1 - delta - a))
    )


BOUNDS = {
    Pure(1): lambda p: exp(1) * p / (1 - p + exp(1) * p),
    Pure(5): lambda p: exp(5) * p / (1 - p + exp(5) * p),
    GDP(1): gaussian_bound(1.0),
    Approximate("0.5", "0.01"): approximate_bound(0.5, 0.01),
    ZCDP("0.25"): lambda a: exp(-(max(0.0, sqrt(log(1 / a)) - 0.5) ** 2)),
}


@pytest.mark.parametrize("budget", BOUNDS, ids=str)
def test_the_odds_chart_draws_what_an_attacker_may_learn(budget):
    bound = BOUNDS[budget]
    chart = Chart(
        odds_chart(meaning(budget, Unit.record())), "An attacker before and after the release"
    )
    curve, nothing = chart.lines
    assert (curve.has("accent"), curve.dashes, bool(nothing.dashes)) == (True, "", True)
    assert nothing.points == pytest.approx(np.array([[0, 0], [100, 100]]), abs=0.2)
    before = np.clip(curve.points[:, 0] / 100, 1e-4, 1 - 1e-4)
    assert curve.points[:, 1] / 100 == pytest.approx([bound(p) for p in before], abs=0.01)
    assert np.max(curve.points[:, 1] - curve.points[:, 0]) > 5  # something may be learned


@pytest.mark.parametrize("budget", BOUNDS, ids=str)
def test_the_odds_table_and_its_sentence_have_the_same_numbers(budget):
    bound = BOUNDS[budget]
    text = check_page(plan_html(dp.plan(flat_mean(1), n=N, budget=budget), [budget])).text
    pure = isinstance(budget, Pure)
    for before in (0.01, 0.1, 0.5) if pure else (0.01, 0.05, 0.1):
        assert f" {100 * before:.3g}% {100 * bound(before):.3g}% " in text
    sentence = first_row_words(meaning(budget, Unit.record()))
    numbers = re.findall(r"([\d.]+)%", sentence)
    assert numbers == ["1", f"{100 * bound(0.01):.3g}"]
    assert sentence in text


def test_the_factor_on_the_odds_is_e_to_the_epsilon():
    text = check_page(plan_html(flat_plan(epsilon=2), [Pure(2)])).text
    assert f"by a factor of at most {exp(2):.3g}," in text
    assert "What the epsilon means" in text
    assert "ε = 2" in text


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_epsilon_beside_mu_is_the_exact_one(mu):
    plan = dp.plan(flat_mean(1), n=N, budget=GDP(mu))
    text = check_page(plan_html(plan, [GDP(mu)])).text
    epsilon, delta = map(float, re.search(r"ε = ([\d.]+) at δ = ([\de-]+)\)", text).groups())

    def reached(e):
        return NORMAL.cdf(mu / 2 - e / mu) - exp(e) * NORMAL.cdf(-mu / 2 - e / mu)

    exact = brentq(lambda e: reached(e) - delta, 0, 50)
    assert epsilon == pytest.approx(exact, rel=0.006)
    assert delta * N < 0.1


# -- budgets and radii ------------------------------------------------------------------


def test_the_budget_chart_falls_as_the_noise_does():
    page = plan_html(flat_plan(epsilon=1))
    chart = Chart(page, "Expected error against the budget", log=True)
    best = chart.marks[0]
    assert best[:, 0] == pytest.approx([0.1, 0.2, 0.5, 1, 2, 5, 10], rel=0.01)
    assert best[:, 1] == pytest.approx(scale(best[:, 0]), rel=0.02)
    own = chart.marks[-1]
    assert len(own) == 1
    assert own[0] == pytest.approx([1, scale()], rel=0.02)
    text = check_page(page).text
    for epsilon in (0.1, 1, 10):
        row = re.search(rf"ε = {epsilon:g}, pure ((?:[\d.]+ |refused )+)", text)
        assert float(row[1].split()[0]) == pytest.approx(scale(epsilon), rel=0.02)


def test_the_control_scales_with_radius_and_budget():
    page = plan_html(flat_plan(), [Pure("0.1"), Pure(1), Pure(2)])
    data = json.loads(re.search(r'data-table="([^"]*)"', page)[1].replace("&#34;", '"'))
    radii = [float(re.search(r"radius = ([\d.]+)", one)[1]) for one in data["radii"]]
    assert radii == [0.5, 0.75, 1.0, 1.5, 2.0]
    for epsilon, row in zip((0.1, 1, 2), data["cells"], strict=True):
        for radius, (words, light) in zip(radii, row, strict=True):
            error, share = map(float, re.match(r"([\d.]+), ([\d.]+)% of", words).groups())
            assert error == pytest.approx(radius * scale(epsilon), rel=0.02)
            assert share == pytest.approx(100 * scale(epsilon), rel=0.02)
            assert light == ("green" if share <= 10 else "amber" if share <= 100 / 3 else "red")
    at = re.findall(r'type="range"[^>]*value="(\d+)"', page)
    assert at == ["1", "2"]  # where this plan is


def test_warnings_state_the_share_of_noise():
    plan = flat_plan(epsilon="0.02")
    told = re.search(r"expected noise is (\d+)% of the public radius", str(plan.warnings[-1]))
    assert float(told[1]) == pytest.approx(100 * scale(0.02), rel=0.02)
    page = check_page(report_html(plan.release(zeros(plan)))).text
    assert told[0] in page
    assert "would be a better guess" in page


# -- values, groups, stages, moments, regressions -----------------------------------------


def test_the_value_on_the_page_is_the_value():
    plan = flat_plan(dim=3)
    release = plan.release(zeros(plan))
    page = report_html(release)
    text = check_page(page).text
    for number in release.value:
        assert f"{number:.6g}" in text
    assert f"derived.scale {plan.scale!r}" in text
    assert f"plan.n {N}" in text
    assert plan.hash in text


def test_bars_are_as_long_as_the_numbers():
    plan = flat_plan(dim=3)
    release = plan.release(zeros(plan))
    chart = Chart(report_html(release), "The released value")
    ends = [bar[np.abs(bar[:, 1]).argmax(), 1] for bar in chart.filled]
    assert ends == pytest.approx(release.value, abs=0.02 * np.max(np.abs(release.value)))


def test_cards_of_groups_say_their_own_numbers():
    sizes = {"a": 20, "b": 60}
    plan = flat_plan(n=sizes, unit=Unit.record(labels="private"), epsilon=2)
    data = dp.Records(np.zeros((80, 1)), group=["a"] * 20 + ["b"] * 60)
    text = check_page(release_page(plan.release(data), {"a": "1-a", "b": "2-b"})).text
    assert "Promise, all together ε = 2, pure" in text
    assert "Each release ε = 1, pure a record" in text
    for label, n in sizes.items():
        card = text[text.index(f"Group {label}") :]
        found = re.search(r"Records (\d+) Guarantee a record ε = 1, pure .*?noise ([\d.]+)", card)
        assert int(found[1]) == n
        assert float(found[2]) == pytest.approx(scale(1, n), rel=0.02)


def test_stages_state_budgets_that_add_up():
    plan = dp.plan(dp.Refined(flat_mean(2)), n=400, budget=Pure(3))
    text = check_page(release_page(plan.release(np.zeros((400, 2))), STAGES)).text
    row = re.search(r"Stage by stage (.*?) Date", text)[1]
    parts = [float(x) for x in re.findall(r"ε = ([\d.]+), pure", row)]
    assert len(parts) == len(plan.rule.budgets) == 4
    assert sum(parts) == pytest.approx(3, rel=1e-5)
    assert "Promise, all together ε = 3, pure" in text


STAGES = {f"stage {i}": f"{i}-stage-{i}" for i in range(1, 5)}


def moments_release(n=4000, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    points = rng.normal([0.1 + shift, -0.05], [0.3, 0.1], (n, 2))
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.5)
    return dp.plan(dp.Moments(ball), n=n, budget=GDP(5)).release(points)


def test_dispersion_and_components_are_those_of_the_released_covariance():
    release = moments_release()
    mean, second = release.value[0], release.value[1:]
    covariance = second - np.outer(mean, mean)
    text = check_page(report_html(release)).text
    told = float(re.search(r"distance from the mean: ([\d.]+)\.", text)[1])
    assert told == pytest.approx(np.trace(covariance), rel=0.01)
    rows = re.findall(r" ([12]) (0\.\d+)", text[text.index("standard deviation along it") :])[:2]
    widths = np.sqrt(np.linalg.eigvalsh(covariance)[::-1])
    assert [float(width) for _, width in rows] == pytest.approx(widths, rel=0.02)
    half = re.search(r"the longest first: ([\d., ]+)\.", text)[1].split(", ")
    sampling = sqrt(chi2.ppf(0.95, 2) * widths[0] ** 2 / 4000)
    assert float(half[0]) >= 0.99 * sampling  # and the noise of privacy beside it
    assert float(half[0]) < 2 * sampling


def test_groups_that_differ_are_told_by_a_test_of_their_means():
    n = {"a": 3000, "b": 3000}
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.5)
    plan = dp.plan(dp.Moments(ball), n=n, budget=GDP(5))
    rng = np.random.default_rng(1)
    points = rng.normal(0, 0.2, (6000, 2)) + np.repeat([[0.0, 0.0], [0.03, 0.0]], 3000, axis=0)
    release = plan.release(dp.Records(points, group=np.repeat(["a", "b"], 3000)))
    text = check_page(release_page(release, {"a": "a", "b": "b"})).text
    table = text[text.index("Do the groups differ?") :]
    told = re.search(r"a, b ([\d.]+) ([\d.]+) ([\d.e-]+)", table).groups()
    statistic, expected, p = map(float, told)
    # Both directions vary alike, so that each square counts half of what is expected.
    assert p == pytest.approx(chi2.sf(2 * statistic / expected, 2), rel=0.2)
    first, second = (part.value for part in release.parts.values())
    apart = first[0] - second[0]
    spread = sum((v[1:] - np.outer(v[0], v[0])) / 3000 for v in (first, second))
    without_noise = apart @ np.linalg.solve(spread, apart)
    assert 0.5 * without_noise < statistic < 1.001 * without_noise


def test_slopes_are_the_change_between_the_ends():
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)
    plan = dp.plan(dp.Regression(ball, {"age": (20, 90)}), n=500, budget=GDP(20))
    ages = np.linspace(20, 90, 500)
    points = np.stack([(ages - 55) / 100, 0 * ages], axis=1)
    release = plan.release(dp.Records(points, covariates={"age": ages}))
    text = check_page(report_html(release)).text
    told = float(re.search(r"age, from 20 to 90 ([\d.]+)", text)[1])
    ends = release.predict(age=90) - release.predict(age=20)
    assert told == pytest.approx(np.linalg.norm(ends), rel=0.01)
    assert told == pytest.approx(0.7, rel=0.1)


def test_the_page_of_a_ball_counts_what_lies_inside():
    rng = np.random.default_rng(0)
    atlas = rng.normal(0, 0.3, (200, 2))
    choice = choose_ball(dp.Euclidean(2), [0.0, 0.0], atlas, source="an atlas", radius=0.8)
    page = ball_html(choice, choice.sweep(n=100, budget=Pure(1)))
    apart = np.linalg.norm(atlas, axis=1)
    rows = re.findall(r"([\d.]+) ([\d.]+)% ([\d.]+)", check_page(page).text)
    assert len(rows) >= 3
    for radius, inside, error in (tuple(map(float, row)) for row in rows):
        assert inside == pytest.approx(100 * np.mean(apart <= radius), abs=1)
        assert error > 0
    chart = Chart(page, "Expected error and records inside, by radius")
    drawn = chart.marks[0]
    assert drawn[:, 0] == pytest.approx([float(row[0]) for row in rows], rel=0.02)
    assert drawn[:, 1] == pytest.approx([float(row[2]) for row in rows], rel=0.03)
