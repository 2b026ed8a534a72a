"""The page that a board reads and signs: words, pictures, a control and a hash, for every shape."""

import json

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.report import control, plan_html
from geomdp.report.pictures.public_pictures import edge_records
from geomdp.report.plan_page import grouped, names_for, plan_text, try_mechanism
from geomdp.report.plan_words import chapters, error_rows, warning_words

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
ABOUT = dp.About(
    title="Wind <over> sea",
    purpose="An atlas",
    data="60 stations",
    institution="An institute",
    contact="someone@example.org",
)


def single(budget=None, **options):
    options = {"mechanism": "laplace", "about": ABOUT, **options}
    return dp.plan(dp.FrechetMean(BALL), n=60, budget=budget or dp.Pure(1), **options)


def groups():
    """With private labels a group's share is half of the budget."""
    return dp.plan(
        dp.FrechetMean(BALL),
        n={"north": 40, "south <b>": 5},
        budget=dp.Pure(1),
        mechanism="laplace",
        unit=dp.Unit.record(labels="private"),
        about=ABOUT,
    )


def stages():
    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    return dp.plan(dp.Refined(dp.FrechetMean(prior)), n=500, budget=dp.Pure(2), about=ABOUT)


SHAPES = {"single": single, "parallel": groups, "staged": stages}


@pytest.fixture(scope="module")
def pages():
    made = {name: make() for name, make in SHAPES.items()}
    return {name: (plan, plan_html(plan, [plan.guarantee.budget])) for name, plan in made.items()}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_the_whole_page(pages, shape):
    plan, html = pages[shape]
    text = check_page(html).text
    for words in (
        "Wind <over> sea",
        "An atlas",
        "60 stations",
        "An institute",
        "someone@example.org",
        "(commit",
        "What is public",
        "What a release may tell about one record",
        "What error to expect",
        "Radius beside budget",
        "A record at the edge",
        "The numbers of the centre",
        "belief before",
        "% of the radius",
        "To sign",
        "signature",
        plan.hash,
    ):
        assert words in text, words


@pytest.mark.parametrize("shape", SHAPES)
def test_the_page_says_the_words_of_the_terminal(pages, shape):
    plan, html = pages[shape]
    seen = check_page(html).text
    told = " ".join(plan_text(plan).split())
    assert plan.hash in told
    for chapter in chapters(plan)[:3]:
        for sentence in chapter.sentences:
            assert " ".join(sentence.split()) in seen
            assert " ".join(sentence.split()) in told
    for row in error_rows(plan):
        assert row.expected in seen
        assert row.expected in told


def test_public_things_are_named_with_units():
    told = plan_text(single())
    assert "The public centre: 0, 0, 1." in told
    assert "0.5 rad (28.6°)" in told
    assert "60, is public and not protected" in told


def test_a_staged_plan_shows_its_prior():
    assert "The public radius around it: 1 rad (57.3°)." in plan_text(stages())


@pytest.fixture(scope="module")
def gaussian():
    plan = dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.GDP(1), mechanism="wrapped-gaussian")
    return plan, check_page(plan_html(plan, [dp.GDP("0.5"), dp.GDP(1)])).text


def test_epsilon_and_delta_stand_beside_every_mu(gaussian):
    plan, page = gaussian
    beside = ("μ = 0.5 (Gaussian; ε = 2.25 at δ = 1e-6)", "μ = 1 (Gaussian; ε = 4.89 at δ = 1e-6)")
    assert all(words in page for words in beside)
    assert "μ = 1 (Gaussian; ε = 4.89 at δ = 1e-6)" in plan_text(plan)


def test_warnings_and_lights_are_on_the_page(pages):
    _, html = pages["parallel"]
    page = check_page(html)
    assert "In group south <b> the expected noise is" in page.text
    lights = [value for _, name, value in page.attributes if name == "class" and "light " in value]
    assert any("red" in light for light in lights)
    assert any("green" in light or "amber" in light for light in lights)


def test_equal_refusals_stand_once(gaussian):
    plan, page = gaussian
    tried = {name: try_mechanism(plan, dp.GDP(1), name) for name in names_for(plan)}
    refused = [made for made in tried.values() if isinstance(made, str)]
    rows = grouped(tried)
    assert len(refused) > len([row for row in rows if row[2]])
    together = next(row for row in rows if row[0].startswith("laplace, "))
    assert together[2] == "needs a pure ε, not μ = 1 (Gaussian)."
    assert page.count("needs a pure ε, not μ") == 1


def table_of(html):
    page = check_page(html)
    return next(json.loads(value) for _, name, value in page.attributes if name == "data-table")


def test_the_control_holds_what_plans_say():
    plan, budgets = single(), [dp.Pure("0.5"), dp.Pure(1), dp.Pure(2)]
    data = json.loads(control.control(plan, budgets)["data"])
    assert data["budgets"] == ["ε = 0.5, pure", "ε = 1, pure", "ε = 2, pure"]
    assert len(data["radii"]) == len(control.RADII)
    wide = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.75))
    again = dp.plan(wide, n=60, budget=dp.Pure(2), mechanism="laplace")
    place = control.RADII.index(control.Fraction(3, 2))
    words, light = data["cells"][2][place]
    assert words.startswith(f"{again.expected_error:.3g} rad")
    assert f"{100 * again.expected_error / 0.75:.3g}% of the radius" in words
    assert light in ("green", "amber")
    own, _ = data["cells"][1][control.RADII.index(control.Fraction(1))]
    assert own.startswith(f"{plan.expected_error:.3g} rad")


def test_the_control_of_groups_is_that_of_the_largest_error(pages):
    plan, html = pages["parallel"]
    words, light = table_of(html)["cells"][0][control.RADII.index(control.Fraction(1))]
    assert words.startswith(f"{plan.plans['south <b>'].expected_error:.3g} rad")
    assert light == "red"


def test_the_control_of_stages_plans_all_stages_again(pages):
    plan, html = pages["staged"]
    words, _ = table_of(html)["cells"][0][control.RADII.index(control.Fraction(1))]
    assert words.startswith(f"{plan.expected_error:.3g} rad")


def test_radii_beyond_the_theory_are_refused_in_the_table():
    wide = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.75))
    made = dp.plan(wide, n=60, budget=dp.Pure(1), mechanism="laplace")
    cells = json.loads(control.control(made, [dp.Pure(1)])["data"])["cells"]
    assert cells[0][-1] == ["refused", ""]


def test_a_summary_has_no_radius_and_no_control():
    made = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1), mechanism="laplace")
    assert control.control(made, [dp.Pure(1)]) == {}
    assert "TO SIGN" in plan_text(made)


@pytest.mark.parametrize("space", [dp.Sphere(2), dp.SPD(2), dp.PlanarShapes(5), dp.Hyperbolic(3)])
def test_edge_records_lie_at_the_radius(space):
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), 0.3)
    edges = edge_records(dp.FrechetMean(ball))
    assert len(edges) == 3
    for edge in edges:
        assert space.dist(ball.center, edge) == pytest.approx(0.3)


def test_edge_curves_have_the_norm_of_the_bound():
    from geomdp.curves import PoweredExponential

    mean = dp.FunctionMean(np.zeros(40), tau=0.1, kernel=PoweredExponential(1.0), phi=0.01)
    for edge in edge_records(mean):
        assert np.linalg.norm(mean.check(edge[None]).distances) == pytest.approx(1, rel=1e-6)


def test_the_page_of_a_plan_that_was_read_has_the_hash_that_was_approved(tmp_path):
    single().save(tmp_path / "plan.json")
    stated = json.loads((tmp_path / "plan.json").read_text())["hash"]
    assert stated in plan_text(dp.load_plan(tmp_path / "plan.json"))


def test_a_promise_that_is_not_exact_is_warned_of():
    made = dp.plan(
        dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace-metropolis", about=ABOUT
    )
    assert "infinitely long Markov chain" in " ".join(warning_words(made))
    assert "WARNING: It holds in the limit" in plan_text(made)


def test_a_plan_inside_another_is_not_signed_by_itself():
    inside = dp.plan(dp.FrechetMean(BALL), n={"a": 60, "b": 60}, budget=dp.Pure(1)).parts["a"]
    assert "make a plan of its own before it is signed" in " ".join(plan_text(inside).split())
    assert "of its own before" not in plan_text(single())
