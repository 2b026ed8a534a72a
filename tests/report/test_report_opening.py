"""Title, people, date and warnings of a plan stand on every page of it, and in every rendering."""

import os
import subprocess
import sys

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.cli.demonstration import EXAMPLES, faces, leaves
from geomdp.cli.show import show_command
from geomdp.curves import FunctionMean, Matern
from geomdp.datasets import polar_sphere
from geomdp.report import plan_html
from geomdp.report.demo_index import Card, index_html
from geomdp.report.release_pages import release_page

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
ABOUT = dp.About(
    title="Wind <over> sea",
    purpose="An atlas",
    data="stations of a coast",
    institution="An institute & sons",
    contact="someone@example.org",
    date="2001-02-03",
    software="geomdp of long ago",
)
N = 60


def single(**options):
    mean = dp.FrechetMean(BALL)
    options = {"n": N, "budget": dp.Pure(11), "mechanism": "laplace", "about": ABOUT} | options
    return dp.plan(mean, **options)


def noisy():
    return single(budget=dp.Pure("0.01"), mechanism="auto")


def groups():
    return single(n={"a": N // 2, "b": N // 2}, budget=dp.Pure("0.05"))


def stages():
    prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    return dp.plan(dp.Refined(dp.FrechetMean(prior)), n=N, budget=dp.GDP(4), about=ABOUT)


SHAPES = {"single": single, "noisy": noisy, "groups": groups, "stages": stages}


def released(plan):
    points = polar_sphere(plan.n, 0.4, seed=1)
    label = np.repeat(["a", "b"], N // 2) if plan.parts else None
    return plan.release(dp.Records(points, group=label))


def head_of(release):
    """What stands on top of a report; the manifest that is folded below repeats it all."""
    page = release_page(release, {label: label for label in release.parts})
    return page[page.index("<header>") : page.index("</header>")] + "</header>"


@pytest.mark.parametrize("shape", SHAPES)
def test_every_page_has_the_plans_title_people_date_and_warnings(shape, tmp_path, capsys):
    plan = SHAPES[shape]()
    assert plan.warnings
    release = released(plan)
    plan.save(tmp_path / "plan.json")
    show_command(tmp_path / "plan.json")
    pages = {
        "plan": check_page(plan_html(plan, [plan.guarantee.budget])).text,
        "report": check_page(head_of(release)).text,
        "show": " ".join(capsys.readouterr().out.split()),
    }
    for name, text in pages.items():
        for said in (ABOUT.purpose, ABOUT.institution, ABOUT.contact, ABOUT.date, ABOUT.software):
            assert said in text, name
        assert ABOUT.title.lower() in text.lower(), name
        for caution in plan.warnings:
            assert str(caution) in text, name
        for row in ("expected noise", "promises little"):
            assert (row in text) == any(row in str(one) for one in plan.warnings), name


def test_parts_carry_their_own_warnings():
    release = released(groups())
    for part in release.parts.values():
        text = check_page(release_page(part, {})).text
        assert part.plan.warnings
        assert all(str(caution) in text for caution in part.plan.warnings)


#: Examples that take long with all of their records.
FEW = {"leaves": leaves, "faces": faces}


def test_the_demo_promises_what_its_budgets_promise():
    plan = single(about=None)
    page = check_page(index_html([Card("one", "One", "A sentence.", plan, released(plan))])).text
    assert "almost nothing" not in page
    assert all(str(caution) in page for caution in plan.warnings)
    for example in EXAMPLES:
        made = FEW[example.name](20)[0] if example.name in FEW else example.make()[0]
        assert not [one for one in made.warnings if one.name == "epsilon"], example.name


def regression():
    return dp.plan(dp.Regression(BALL, {"age": (0, 1)}), n=N, budget=dp.GDP(9), about=ABOUT)


def of_many_kinds():
    rng = np.random.default_rng(2)
    points, ages = polar_sphere(N, 0.4, seed=1), {"age": np.linspace(0, 1, N)}
    moments = dp.plan(dp.Moments(BALL), n=N, budget=dp.GDP(9), about=ABOUT)
    curves = dp.plan(FunctionMean(np.zeros(33), 1.0, Matern(0.3)), n=N, budget=dp.GDP(5))
    both = dp.Product(dp.Sphere(2), dp.SPD(2))
    center = both.join([0.0, 0.0, 1.0], np.eye(2))
    product = dp.plan(dp.FrechetMean(dp.Ball(both, center, 0.3)), n=N, budget=dp.Pure(9))
    yield "stages", released(stages())
    yield "groups", released(groups())
    yield "moments", moments.release(points)
    yield "regression", regression().release(dp.Records(points, covariates=ages))
    yield "curves", curves.release(0.1 * rng.standard_normal((N, 33)))
    yield "product", product.release(np.tile(center, (N, 1)))


RENDER = """
import sys
from pathlib import Path
from geomdp import load_release
from geomdp.report.release_pages import release_page
from geomdp.plans.release import folder_name
for place in sys.argv[1:]:
    release = load_release(place)
    folders = {label: folder_name(i, label) for i, label in enumerate(release.parts, start=1)}
    again = release_page(release, folders).encode()
    print(place, again == (Path(place) / "report.html").read_bytes())
"""


@pytest.mark.slow
@pytest.mark.usefixtures("with_reports")
def test_another_process_renders_the_same_bytes(tmp_path):
    places = []
    for name, release in of_many_kinds():
        release.save(tmp_path / name)
        places.append(str(tmp_path / name))
    other = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    told = subprocess.run(
        [sys.executable, "-c", RENDER, *places],
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split("\n")[:-1] == [f"{place} True" for place in places]
    assert len(places) == 6
