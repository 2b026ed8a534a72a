"""One page for each shape of plan: the layer above releases."""

from collections.abc import Mapping, Sequence
from functools import singledispatch

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.privacy import Budget
from geomdp.release import PAGES, Release
from geomdp.report.groups_page import groups_html
from geomdp.report.html import bare_html, report_html
from geomdp.report.markup import tag
from geomdp.report.meaning_of_distance import title_of
from geomdp.report.page import page, paragraphs, section
from geomdp.report.plan_page import single_plan_html
from geomdp.report.stages_page import stages_html
from geomdp.report.words import meaning


def release_page(release: Release, folders: Mapping[str, str]) -> str:
    """Return the report of a release, or a page that points to the manifest.

    A value cannot be drawn again: whatever goes wrong with a picture must not lose it.
    """
    try:
        return _page(release.plan, release, folders)
    except Exception:
        return bare_html()


@singledispatch
def _page(plan: Plan, release: Release, folders: Mapping[str, str]) -> str:
    raise TypeError(f"No page for a plan of the shape {plan.shape}.")


@_page.register
def _(plan: SinglePlan, release: Release, folders: Mapping[str, str]) -> str:
    return report_html(release)


@_page.register
def _(plan: ParallelPlan, release: Release, folders: Mapping[str, str]) -> str:
    return groups_html(release, plan, folders)


@_page.register
def _(plan: StagedPlan, release: Release, folders: Mapping[str, str]) -> str:
    return stages_html(release, plan, folders)


@singledispatch
def plan_html(plan: Plan, budgets: Sequence[Budget] = ()) -> str:
    """Return the page of a plan of any shape; it touches no data.

    Parameters
    ----------
    plan
        Its own budget is marked.
    budgets
        For a single plan: budgets of one kind to compare; by default a ladder around the plan's.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = dp.plan(mean, n={"a": 20, "b": 30}, budget=dp.Pure(1), mechanism="laplace")
    >>> "labels and group sizes are public" in plan_html(made)
    True
    """
    title = f"{title_of(plan.statistic)}: the plan"
    explained = meaning(plan.guarantee.budget)
    parts = [section(f"Group {label}", tag("pre", str(part))) for label, part in plan.parts.items()]
    return page(
        title,
        tag("p", "Plan, made without data", class_="kicker"),
        tag("h1", title),
        section(
            "What is promised",
            paragraphs(f"{plan.guarantee}.", plan.unit.describe(), explained.plain),
            tag("pre", str(plan)),
        ),
        *parts,
    )


@plan_html.register
def _(plan: SinglePlan, budgets: Sequence[Budget] = ()) -> str:
    return single_plan_html(plan, budgets)


PAGES.register("report.html", release_page)
