"""The page above the releases of a plan in stages."""

from collections.abc import Mapping
from typing import Any

from geomdp.plans import SinglePlan, StagedPlan
from geomdp.privacy.guarantee import budget_words
from geomdp.releases.estimates import moments_of
from geomdp.releases.estimates.stages import last_stage
from geomdp.releases.release import Release
from geomdp.report.groups_page import card, scene_of
from geomdp.report.html import (
    neighbours_words,
    odds_section,
    script_for,
    value_section,
    verify_section,
)
from geomdp.report.limits import limits
from geomdp.report.markup import Html, tag
from geomdp.report.meaning_of_distance import title_for
from geomdp.report.moments_section import moments_section
from geomdp.report.opening import opening
from geomdp.report.page import page, paragraphs, section
from geomdp.report.pictures.by_space import draw_subject, picture_or_words
from geomdp.report.pictures.scene import single_plan, subject_of
from geomdp.report.words import meaning
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.moments import LogMoments


def stages_html(release: Release, made: StagedPlan, folders: Mapping[str, str]) -> str:
    """Return the page above the stages' folders: what was promised for all, and each stage.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    >>> made = dp.plan(dp.Refined(dp.FrechetMean(prior)), n=50, budget=dp.Pure(100))
    >>> release = made.release(np.tile([0.6, 0.0, 0.8], (50, 1)))
    >>> text = stages_html(release, made, {f"stage {i}": f"{i}-stage-{i}" for i in range(1, 5)})
    >>> 'href="4-stage-4/report.html"' in text
    True
    """
    last = last_stage(release)
    answer = single_plan(last)
    explained = meaning(made.budget, made.unit)
    budgets = [budget_words(budget, made.n) for budget in made.rule.budgets]
    kicker = "Report of private releases, one after another"
    title, head = opening(
        made,
        kicker,
        f"{title_for(made)}, in stages",
        [
            ("Promise, all together", budget_words(made.budget, made.n)),
            ("Kind", explained.name),
            ("Stage by stage", ", then ".join(budgets)),
        ],
    )
    cards = [
        card(f"{label[:1].upper()}{label[1:]}", one, folders[label], _picture(one, folders[label]))
        for label, one in release.parts.items()
    ]
    return page(
        title,
        head,
        *_answer(last, answer),
        section(
            "What they promise together",
            paragraphs(
                explained.plain,
                "Each stage was planned from public things and from what earlier stages released, "
                "by a rule that the plan fixes; the shares of the budget were fixed in advance.",
            ),
            tag("p", explained.formula, class_="formula"),
            neighbours_words(made.unit),
        ),
        odds_section(made.guarantee, explained),
        section("The stages", tag("div", cards, class_="cards")),
        *_consequences(release, made),
        section("Limits", tag("ul", [tag("li", text) for text in limits(made)])),
        verify_section("FOLDER"),
        script=script_for(answer),
    )


def _picture(release: Release, folder: str) -> Html:
    made = single_plan(release)

    def drawing() -> Html:
        if isinstance(made.statistic, Cover):
            return paragraphs(f"Released: the radius {float(release.value[0]):.6g}.")
        subject = subject_of(made.statistic, made.reading)
        alt = "The released value"
        return draw_subject(subject, scene_of(release), f"{folder}-", alt, first=True)

    return picture_or_words(drawing)


def _answer(last: Release, answer: SinglePlan) -> list[Html]:
    """Show what the last stage released, but for balls and what only tells through its readings."""
    if isinstance(answer.statistic, Cover | LogMoments):
        return []
    return [value_section(last, answer)]


def _consequences(release: Release, made: StagedPlan) -> list[Html]:
    """Return what follows from the last stage, if it released moments."""
    if not isinstance(made.statistic, LogMoments):
        return []
    found = moments_of(release)
    told: dict[str, Any] = {"reading": made.reading, "names": made.names}
    return [picture_or_words(lambda: moments_section(found, **told))]
