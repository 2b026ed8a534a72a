"""The reports of releases, one page for each shape of plan: for whoever reads, reviews or reuses.

Everything on a page follows from released values and from public things: it is made from the
release alone, which holds nothing else, so that whoever verifies can make it again.
"""

from collections.abc import Mapping
from functools import singledispatch
from itertools import combinations
from typing import Any

import numpy as np

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan, course_of
from geomdp.plans.release import DENOISED, DENOISED_FILE, PAGES, REPORT, Release
from geomdp.privacy.guarantee import Guarantee, budget_words
from geomdp.releases.estimates import compare, moments_of
from geomdp.releases.estimates.denoised import has_region, on_top, shown
from geomdp.report import words
from geomdp.report.against import (
    against_the_center,
    clipping_rows,
    difference,
    error_words,
    near_words,
)
from geomdp.report.naming import in_words, subject_of, subject_of_curve, title_for
from geomdp.report.numbers import manifest_table, value_table
from geomdp.report.odds import Meaning, first_row_words, meaning, share
from geomdp.report.pictures.by_space import (
    draw_subject,
    multiples,
    picture_of,
    style_for,
    style_shown,
)
from geomdp.report.pictures.charts import course_chart, error_chart, odds_chart
from geomdp.report.pictures.ink import own_settings
from geomdp.report.pictures.overlays import MOST_PAIRS, together
from geomdp.report.pictures.scene import Scene, release_scene
from geomdp.report.plan_words import about_rows, asked, headline, limits, warning_words
from geomdp.report.regression_section import curve_scene
from geomdp.report.rendering import Figure, Note, Section, Table, part, picture_or_words, render
from geomdp.report.sections import COMPARED, consequences, nothing, region_scene
from geomdp.runtime.surroundings import undisturbed
from geomdp.statistics import Statistic

#: Coordinates of a course that are drawn at most.
MOST_LINES = 3
_LINKS = (("report.html", "Report"), ("manifest.json", "Manifest"))


@own_settings()
@undisturbed()
def report_html(release: Release) -> str:
    """Return the report of a release as one self-contained page.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> text = report_html(plan.release([0.0, 0.0, 1.0]))
    >>> "http" in text.replace("http-equiv", "")
    False
    """
    plan = release.plan.single
    explained = meaning(plan.guarantee.budget, plan.unit)
    rows = [
        ("Guarantee", budget_words(plan.guarantee.budget, plan.n)),
        ("Kind", explained.name),
        ("Mechanism", plan.mechanism),
        ("Expected error by noise", error_words(plan)),
        *clipping_rows(release, plan),
        *against_the_center(plan),
        *_in_time(plan),
    ]
    return render(
        "report",
        **_opening(plan, "Report of a private release", title_for(plan), rows),
        value=value_content(release, plan),
        pictured=plan.statistic.pictured,
        consequences=picture_or_words(lambda: consequences(release)),
        course=picture_or_words(lambda: _course(release)),
        guarantee=_guarantee(plan.guarantee, explained),
        attacker=attacker(plan.guarantee, explained),
        error=_error(plan),
        cited=_cited(release, plan),
        manifest=manifest_table(release.manifest),
        script=_script_for(plan),
    )


def _in_time(plan: SinglePlan) -> list[tuple[str, str]]:
    """Say of a period where it stands in its plan, and what it debits."""
    steps, names = plan.released_periods, plan.whole.period_names
    if not steps:
        return []
    return [
        ("Period", f"{steps[-1]}: release {len(steps)} of at most {len(names)}"),
        ("This release debits", f"{plan.cost.words()}, a part of the guarantee, which is of all"),
    ]


def _course(release: Release) -> Section | str:
    """Return the running means of all periods so far with their bands; nothing without periods."""
    plan = release.plan.single
    if not plan.released_periods:
        return ""
    course = course_of(release)
    errors = np.linalg.norm(course.deviations, axis=1)
    rows = [
        [name, str(count), f"{error:.3g}"]
        for name, count, error in zip(course.periods, course.counts, errors, strict=True)
    ]
    heads = ["period", f"{plan.unit.plural} so far", "deviation of its noise, all coordinates"]
    chart = picture_or_words(lambda: Figure(course_chart(course, MOST_LINES), words.COURSE))
    return Section("The course so far", [chart, Table(heads, rows, "stack")])


def bare_html() -> str:
    """Return the page that stands in where a report cannot be made: the value was drawn already."""
    return render("bare", title="Private release", script="")


def release_page(release: Release, folders: Mapping[str, str]) -> str:
    """Return the report of a release, or a page that points to the manifest.

    A value cannot be drawn again: whatever goes wrong with a picture must not lose it.
    """
    try:
        with own_settings():
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
def groups_html(plan: ParallelPlan, release: Release, folders: Mapping[str, str]) -> str:
    """Return the page above the folders of groups: what they promise together, and each of them.

    ``folders`` are the names of the groups' folders, by label.
    """
    pictures = _group_pictures(release, plan, folders)
    first = next(iter(release.parts.values()))
    explained = meaning(plan.budget, plan.unit)
    rows = [
        ("Promise, all together", budget_words(plan.budget, plan.n)),
        ("Kind", explained.name),
        ("Each release", f"{budget_words(plan.share, plan.n)} a {plan.unit.counted}"),
    ]
    kicker = "Report of private releases that belong together"
    opened = _opening(plan, kicker, f"{title_for(plan)}, by group", rows)
    alone = "" if plan.unit.of == plan.unit.in_a_group.of else words.OF_RECORDS_ONLY
    return render(
        "groups",
        **opened | {"limited": [*opened["limited"], words.SMALL_GROUPS]},
        guarantee=[
            f"How the releases add up: {plan.unit.composition()}.",
            alone,
            *_pooled(release),
            *_defined(explained),
        ],
        attacker=attacker(plan.guarantee, explained),
        cards=[
            _card(f"Group {label}", one, folders[label], pictures[label])
            for label, one in release.parts.items()
        ],
        compared=[
            picture_or_words(lambda: together(release, plan)),
            picture_or_words(lambda: _differences(release)),
            picture_or_words(lambda: COMPARED.get(plan.statistic.section, nothing)(release)),
        ],
        cited=_cited(first, first.plan.single),
        script="",
    )


def _pooled(release: Release) -> list[str]:
    """Say of groups that are declared alike what the file beside them holds."""
    said = release.manifest.get(DENOISED)
    return [] if said is None else [words.POOLED.format(**said)]


@_page.register
def stages_html(plan: StagedPlan, release: Release, folders: Mapping[str, str]) -> str:
    """Return the page above the stages' folders: what was promised for all, and each stage."""
    last = release.answer
    answer = last.plan.single
    explained = meaning(plan.budget, plan.unit)
    budgets = [budget_words(budget, plan.n) for budget in plan.stage_budgets]
    rows = [
        ("Promise, all together", budget_words(plan.budget, plan.n)),
        ("Kind", explained.name),
        ("Stage by stage", ", then ".join(budgets)),
        ("Expected error by noise", error_words(answer)),
        *clipping_rows(release, answer),
        *against_the_center(answer, plan),
    ]
    kicker = "Report of private releases, one after another"
    return render(
        "stages",
        **_opening(plan, kicker, f"{title_for(plan)}, in stages", rows),
        value=value_content(last, answer),
        pictured=answer.statistic.pictured,
        guarantee=[words.IN_STAGES, *_defined(explained)],
        attacker=attacker(plan.guarantee, explained),
        cards=[
            {
                **_card(
                    words.capital(label), one, folders[label], _stage_picture(one, folders[label])
                ),
                "sentence": asked(one.plan),
            }
            for label, one in release.parts.items()
        ],
        consequences=picture_or_words(lambda: consequences(last)),
        script=_script_for(answer),
    )


def _opening(
    plan: Plan, kicker: str, otherwise: str, rows: list[tuple[str, str]]
) -> dict[str, Any]:
    """Return what every page of a release says of its plan: on top, and as its limits."""
    return {
        "title": headline(plan, otherwise),
        "kicker": kicker,
        "asked": asked(plan),
        "warned": warning_words(plan),
        "rows": [*rows, *(row for row in about_rows(plan) if row[1] != words.NOT_SAID)],
        "limited": limits(plan),
    }


def _script_for(plan: SinglePlan) -> str:
    """Return the script that a page with a value needs: where it can be turned."""
    return "turn.js" if style_for(plan.statistic).turnable else ""


def value_content(release: Release, plan: SinglePlan) -> list[Any]:
    """Show a released value: its picture, something to turn, and its numbers."""
    statistic, style = plan.statistic, style_for(plan.statistic, plan.reading)
    content: list[Any] = []
    if statistic.pictured:
        content.append(
            picture_or_words(lambda: Figure(picture_of(release), _caption(release, plan)))
        )
        if style.turnable is not None:
            content.append(picture_or_words(lambda: _turnable(release, plan)))
    if DENOISED in release.manifest:
        said = release.manifest[DENOISED]
        text = words.DENOISED if said["on_top"] else words.DENOISED_BESIDE
        content.append(text.format(**said))
    content += [Note(f"Caution: {text}", "") for text in near_words(plan, release.value)]
    content += difference(release, plan)
    if release.manifest.get("projected"):
        content.append(words.PROJECTED)
    reading = None if statistic.value_space is None else plan.reading  # moments are no record
    if on_top(release) is not None:
        better = value_table(release.denoised, DENOISED_FILE, names=plan.names, reading=reading)
        content += [*better, words.AS_IT_WAS_DRAWN]
    content += value_table(release.value, reading=reading, names=plan.names)
    return [*content, Note(statistic.value_note)] if statistic.value_note else content


def _pictured(release: Release, plan: SinglePlan) -> Figure:
    return Figure(picture_of(release), _caption(release, plan))


def _caption(release: Release, plan: SinglePlan) -> str:
    style = style_for(plan.statistic, plan.reading)
    again = ", denoised," * (on_top(release) is not None)
    if not style.cloud:
        return f"The released value{again} {style.caption}."
    around = words.OTHER_DRAWS
    if plan.statistic.value_space is not None and again and has_region(release):
        around = words.REGION_ABOUT_DENOISED
    elif plan.statistic.value_space is not None:
        about = "from the value as drawn " * bool(again)
        around = (
            f"Faint: where the distance {plan.error_quantile(0.95):.3g} {about}is reached, "
            "within which the true statistic lies in 95 of 100 releases."
        )
    return f"The released value{again} (bold) {style.caption}. {around}"


def _turnable(release: Release, plan: SinglePlan) -> Figure:
    turned = style_for(plan.statistic).turnable
    assert turned is not None  # seen to by the caller
    drawn = turned(subject_of(plan.statistic), shown(release))
    again = ", denoised" * (on_top(release) is not None)
    return Figure(drawn, f"The released value{again}: drag it to turn it.")


def _guarantee(guarantee: Guarantee, explained: Meaning) -> list[Any]:
    told = words.STRENGTH[guarantee.strength]
    if guarantee.strength == "none":
        return [Note(told, "warning")]
    plain, *rest = _defined(explained)
    return [plain, told, *rest]


def _defined(explained: Meaning) -> list[Any]:
    """Explain a promise in words, by its definition, and with what the letters of that mean."""
    return [explained.plain, part("formula", explained.formula), words.neighbours(explained.unit)]


def attacker(guarantee: Guarantee, explained: Meaning) -> dict[str, Any] | None:
    """Return what an attacker may know before and after a release; None of a comparison."""
    if guarantee.strength == "none":
        return None
    at = np.array(explained.at)
    rows = [[share(a), share(b)] for a, b in zip(at, explained.bound(at), strict=True)]
    return {
        "number": guarantee.budget.number_name,
        "table": Table([explained.before, explained.after], rows),
        "first_row": first_row_words(explained),
        "chart": odds_chart(explained),
    }


def _error(plan: SinglePlan) -> list[Any]:
    better, raw = plan.denoising, plan.as_drawn
    likely = in_words(plan.statistic, plan.error_quantile(0.95), plan.reading)
    return [
        f"The error by noise is {error_words(plan)} on average, and at most {likely} in 95 of 100 "
        f"releases. {words.FROM_THE_LAW} {words.BY_NOISE}",
        f"The value {raw}." * bool(raw)
        if better is None
        else words.OF_THE_VALUE.format(foreseen=better.foreseen),
        Note(f"Note: {plan.forecast.note}.") if plan.forecast.note else "",
        Figure(error_chart(plan.forecast), words.ERROR_CHART),
    ]


def _cited(release: Release, plan: SinglePlan) -> list[str]:
    """Return whom to cite: the software as it names itself, then the papers behind the plan."""
    software = release.manifest.get("software", "geomdp")
    own = f"The geomdp developers. {software}: differential privacy on curved spaces."
    return [own, *plan.papers]


def _group_pictures(
    release: Release, plan: ParallelPlan, folders: Mapping[str, str]
) -> dict[str, Any]:
    """Draw the groups' values on the same axes, each with how far the true one may be."""
    scenes: dict[str, Scene] = {}
    drawn: dict[str, Any] = {}
    for label, one in release.parts.items():
        try:
            scenes[f"{folders[label]}-"] = scene_of(one)
        except Exception:  # a value is out, and a picture must not fail it
            drawn[label] = Note(words.BEYOND_PICTURES)
    labels = {f"{folders[label]}-": label for label in release.parts}
    alts = {name: f"The released value: group {label}" for name, label in labels.items()}
    subject = subject_of_curve(plan.statistic, plan.reading)
    pictures = multiples(subject, scenes, alts, width=3.2)
    return drawn | {labels[name]: picture for name, picture in pictures.items()}


def _stage_picture(release: Release, folder: str) -> Any:
    made = release.plan.single
    if _is_one_number(made.statistic):
        what = "the radius " * (made.statistic.as_cover() is not None)
        return Note(f"Released: {what}{float(release.value[0]):.6g}.", "")
    subject = subject_of_curve(made.statistic, made.reading)
    return picture_or_words(
        lambda: draw_subject(
            subject, scene_of(release), f"{folder}-", "The released value", first=True
        )
    )


def _is_one_number(statistic: Statistic) -> bool:
    """Tell whether a stage releases a number, which no picture is made of."""
    return statistic.as_cover() is not None or statistic.public_value.shape == (1,)


def scene_of(release: Release) -> Scene:
    """Return what a card shows: the value, or what follows from it with its region."""
    made = release.plan.single
    asked: Any = made.statistic
    if asked.curve_in is not None:
        return curve_scene(release, asked.design.far_end[1])
    if made.statistic.has_moments:
        return region_scene(moments_of(release), made.names)
    return release_scene(release)


def _card(title: str, release: Release, folder: str, picture: Any) -> dict[str, Any]:
    """Show one part of a release with the way to its own report."""
    made = release.plan.single
    asked: Any = made.statistic
    style = style_shown(asked, made.reading)
    again = ", denoised" * (on_top(release) is not None)
    what = "mean" if asked.curve_in is None else f"curve at {asked.design.far_end[0]}"
    caption = (
        f"Bold: the private {what}. Faint: how far the true one may be from it."
        if style.cloud
        else f"The private {what}{again}."
    )
    return {
        "title": title,
        "sentence": "",
        "picture": picture if _is_one_number(made.statistic) else Figure(picture, caption),
        "rows": [
            (words.capital(made.unit.plural), str(made.n)),
            (f"Guarantee a {made.unit.of}", budget_words(made.guarantee.budget, made.n)),
            ("Expected error by noise", error_words(made)),
            *against_the_center(made),
        ],
        "warned": (),
        "folder": folder,
        "links": _LINKS,
    }


def _differences(release: Release) -> Section | str:
    """Compare groups whose mean and covariance were released, two by two."""
    asked = release.plan.statistic
    if not asked.has_moments or asked.mean_space is None:
        return ""
    found = {label: moments_of(part) for label, part in release.parts.items()}
    if any(one.second is None for one in found.values()):
        return ""

    rows = []
    for a, b in list(combinations(found, 2))[:MOST_PAIRS]:
        result = compare(found[a], found[b])
        rows.append(
            [
                f"{a}, {b}",
                f"{result.statistic:.4g}",
                f"{result.expected:.4g}",
                f"{result.p_value:.3g}",
            ]
        )
    head = ["groups", "statistic", "expected if equal", "p"]
    return Section("Do the groups differ?", [Table(head, rows), words.COMPARED])


PAGES.register(REPORT, release_page)
