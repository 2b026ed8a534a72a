"""One page for each shape of plan: the layer above releases."""

from collections.abc import Mapping
from functools import singledispatch

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.releases.release import PAGES, REPORT, Release
from geomdp.report.groups_page import groups_html
from geomdp.report.html import bare_html, report_html
from geomdp.report.stages_page import stages_html


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


PAGES.register(REPORT, release_page)
