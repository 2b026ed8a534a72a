import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import Plan
from geomdp.plans.release import Release
from geomdp.privacy.guarantee import budget_words
from geomdp.report import plan_html, report_html
from geomdp.report.naming import in_words
from geomdp.report.plan_page import plan_text
from geomdp.report.release_pages import release_page
from geomdp.spaces.base import Space

NORTH = np.array([0.0, 0.0, 1.0])


def sphere_plan(n: int = 400) -> Plan:
    ball = dp.Ball(dp.Sphere(2), center=NORTH, radius=0.5)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(1), mechanism="laplace")


def cap(plan: Plan, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return dp.Sphere(2).require(
        (v := NORTH + 0.3 * rng.standard_normal((plan.n, 3))) / np.linalg.norm(v, axis=1)[:, None]
    )


def without_value(page: str) -> str:
    """Leave out the section that shows the value, and the value's line in the manifest."""
    page = re.sub(r"<section><h2>What was released</h2>.*?</section>", "", page, flags=re.DOTALL)
    return re.sub(r"<tr><td[^>]*>value</td>.*?</tr>", "", page, flags=re.DOTALL)


def test_the_report_says_what_a_reader_needs() -> None:
    plan = sphere_plan()
    text = check_page(report_html(plan.release(cap(plan, 1)))).text
    for phrase in (
        "Private mean on the sphere S²",
        "ε = 1, pure",
        "400 records",
        "factor of at most 2.72",
        "e ε · P[M(D′) ∈ S]",
        "50% 73.1%",
        "95 of 100 releases",
        f"{plan.expected_error:.3g} rad",
        "Reimherr, M.",
        "geomdp 0.1.0",
        "one record is replaced",
        "were moved to that distance",
        repr(plan.scale),
    ):
        assert phrase in text, phrase


def test_nothing_but_the_value_depends_on_the_data() -> None:
    plan = sphere_plan()
    south_of_north = np.tile(dp.Sphere(2).canonical(np.array([0.4, 0.0, 1.0])), (plan.n, 1))
    first, second = (report_html(plan.release(x)) for x in (cap(plan, 1), south_of_north))
    assert first != second
    assert without_value(first) == without_value(second)


def test_the_report_is_the_same_each_time_and_after_loading(tmp_path: Path) -> None:
    plan = sphere_plan()
    release = plan.release(cap(plan, 1))
    release.save(tmp_path / "release")
    saved = (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    assert saved == report_html(release) == report_html(dp.load_release(tmp_path / "release"))


def test_a_projected_value_is_said_to_be() -> None:
    plan = sphere_plan()
    assert "moved into the public ball" in report_html(plan.release(cap(plan, 1), project=True))
    assert "moved into the public ball" not in report_html(plan.release(cap(plan, 1)))


def test_words_from_the_manifest_are_escaped() -> None:
    plan = sphere_plan()
    release = plan.release(cap(plan, 1))
    evil = "<script>alert('x')</script><img src=x onerror=alert(1)>"
    manifest = {**release.manifest, "software": evil, evil: evil}
    page = report_html(Release(release.plan, release.value, manifest))
    check_page(page)
    assert "<script>" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize(
    "budget", [dp.Pure(1), dp.Approximate(1, 1e-6), dp.GDP(1), dp.ZCDP("0.5")], ids=lambda b: b.kind
)
@pytest.mark.parametrize("strength", ["exact", "idealised", "asymptotic", "none"])
def test_every_kind_and_strength_of_guarantee_is_explained(
    budget: dp.Budget, strength: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The pages are made for plans of mechanisms yet to come, so the guarantee is put in by hand.
    plan = sphere_plan()
    fitted = replace(
        plan.calibration,
        request=replace(plan.calibration.request, budget=budget),
        strength=strength,
        caveats=("it is <approximate>",),
    )
    plan = replace(plan, calibration=fitted)
    release = plan.release(cap(plan, 1))
    text = check_page(report_html(release)).text
    assert budget_words(budget, plan.n) in text
    assert "It is <approximate>." in text
    assert ("NOT PRIVATE" in text) == (strength == "none")
    assert ("attacker before and after" in text) == (strength != "none")
    assert ('class="warning"' in report_html(release)) == (strength != "exact")


def test_a_summary_states_whose_sensitivity_it_is() -> None:
    plan = dp.plan(dp.Summary(dp.SPD(3), 0.01), budget=dp.Pure(1))
    text = check_page(report_html(plan.release(np.eye(3)))).text
    assert "was stated by the curator" in text
    assert "one computed point" in text


def test_large_values_are_named_not_printed() -> None:
    plan = dp.plan(dp.Summary(dp.SPD(20), 0.001), budget=dp.Pure(1), mechanism="laplace")
    text = check_page(report_html(plan.release(np.eye(20)))).text
    assert "array of 20 x 20 numbers" in text


def test_functions_and_surfaces_have_reports_and_plan_pages() -> None:
    from geomdp.curves import FunctionMean, Matern
    from geomdp.surfaces import SurfaceMean, make_template
    from geomdp.surfaces.mesh.procedural import template_face

    curves = FunctionMean(np.zeros(20), tau=0.1, kernel=Matern(0.3), phi=0.01)
    surface = SurfaceMean(make_template(template_face()), rings=6, points=16)
    for statistic, record in ((curves, np.ones(20)), (surface, surface.template_curves)):
        plan = dp.plan(statistic, n=50, budget=dp.GDP(1))
        page = report_html(plan.release(np.repeat(record[None], 50, axis=0)))
        text = check_page(page).text
        assert "two bell curves" in text
        assert ("drag it to turn it" in text) == (statistic is surface)
        assert ("<script>" in page) == (statistic is surface)
        assert "This is the error of the value as drawn. Of the denoised one:" in text
        text = check_page(plan_html(plan, [dp.GDP(1)])).text
        assert "μ = 1 " in text
        assert "a release shows them denoised" in text


def test_the_plan_page_compares_budgets_and_touches_no_data() -> None:
    plan = sphere_plan()
    budgets = [dp.Pure(2), dp.Pure("0.5"), dp.Pure(1)]
    page = plan_html(plan, budgets)
    text = check_page(page).text
    rows = text[text.index("Error against epsilon") :]
    assert rows.index("ε = 0.5, ") < rows.index("ε = 1, ") < rows.index("ε = 2, ")
    assert "laplace-ball" in text
    assert page.count('class="tile chosen"') == 1
    assert page == plan_html(plan, budgets)
    for budget in budgets:
        error = dp.plan(plan.statistic, n=plan.n, budget=budget, mechanism="laplace").expected_error
        assert f"{error:.4g}" in text


def test_the_plan_page_says_why_a_mechanism_refused() -> None:
    plan = dp.plan(dp.Summary(dp.Euclidean(2), 0.1), budget=dp.Pure(1), mechanism="laplace")
    text = check_page(plan_html(plan, [dp.Pure(1)])).text
    assert "laplace-ball needs a statistic with a public ball" in text


def test_the_plan_page_makes_a_ladder_of_its_own() -> None:
    plan = dp.plan(dp.Summary(dp.Euclidean(3), 0.01), budget=dp.Pure(1), mechanism="laplace")
    text = check_page(plan_html(plan)).text
    for number in ("0.1", "0.2", "0.5", "1", "2", "5", "10"):
        assert f"ε = {number}, pure" in text


def test_budgets_of_several_kinds_are_refused() -> None:
    with pytest.raises(dp.errors.GeomdpError, match="one kind"):
        plan_html(sphere_plan(), [dp.Pure(1), dp.GDP(1)])


def test_the_papers_are_those_of_the_citation_file() -> None:
    citation = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    titles = [line.split("title: ", 1)[1] for line in citation.splitlines() if "  title: " in line]
    papers = {paper for mechanism in MECHANISMS.values() for paper in mechanism.papers}
    papers |= set(dp.FunctionMean.papers)
    assert len(titles) == 4
    for title in titles:
        assert sum(title in paper for paper in papers) == 1, title


@pytest.mark.parametrize("space", [dp.Sphere(3), dp.SPD(2), dp.PlanarShapes(5), dp.Hyperbolic(2)])
def test_spaces_have_spoken_names(space: Space) -> None:
    assert space.spec not in space.title
    assert space.title in dp.Summary(space, 0.1).title_in(space)


def test_spd_errors_bound_every_variance() -> None:
    # The percentage in the report is a claim: no variance v'Pv is off by more than it says.
    space, error = dp.SPD(3), 0.3
    rng = np.random.default_rng(0)
    claimed = float(re.search(r"([\d.]+)%", in_words(dp.Summary(space, 0.1), error)).group(1)) / 100
    worst = 0.0
    for _ in range(300):
        direction = rng.standard_normal(space.dim)
        moved = space.frame_exp(np.eye(3), error * direction / np.linalg.norm(direction))
        worst = max(worst, float(np.max(np.linalg.eigvalsh(moved))) - 1)
    assert 0.7 * claimed < worst <= claimed + 5e-4


def test_landmarks_are_listed_as_points_of_the_plane() -> None:
    corners = np.array([0, 1, 1 + 1j, 0.5 + 1.6j, 1j])
    ball = dp.Ball(dp.PlanarShapes(5), corners, 0.2)
    names = ("a", "b", "c", "d", "e <>")
    plan = dp.plan(dp.FrechetMean(ball), n=9, budget=dp.GDP(50), names=names)
    release = plan.release(np.tile(corners, (9, 1)))
    page = check_page(report_html(release))
    for name, point in zip(names, release.value, strict=True):
        assert f"{name} {point.real:.6g} {point.imag:.6g}" in page.text
    for text in (page.text, plan_html(plan, [dp.GDP(1)]), plan_text(plan)):
        assert re.search(r"\d[ij]\b", text) is None
    crossing = corners[[0, 2, 1, 3, 4]]
    other = dp.Ball(dp.PlanarShapes(5), crossing, 0.2)
    told = plan_html(dp.plan(dp.FrechetMean(other), n=9, budget=dp.GDP(50)), [dp.GDP(50)])
    assert "or as small points: the public centre" in told


def test_of_moments_the_picture_comes_before_the_numbers_in_stages_too() -> None:
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    for asked in (dp.Moments(ball), dp.Refined(dp.Moments(ball))):
        plan = dp.plan(asked, n=200, budget=dp.GDP(20))
        release = plan.release(np.tile(np.eye(2), (200, 1, 1)))
        page = release_page(release, {label: label for label in release.parts})
        assert page.index("What follows from it") < page.index("What was released")
        assert page.index("<svg") < page.index('<table class="numbers">')
