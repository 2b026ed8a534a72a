"""The report of a release: one page for whoever reads, reviews or reuses it.

Everything on the page follows from the released value and from public things: the page is made
from the release alone, which holds nothing else.
"""

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import Guarantee, budget_words
from geomdp.releases.estimates.smoothing import shown, shows_smoothed
from geomdp.releases.release import Release
from geomdp.report import curves_section, regression_section
from geomdp.report.citation import citations
from geomdp.report.limits import limits
from geomdp.report.markup import Content, Html, join, table, tag
from geomdp.report.meaning_of_distance import in_words, title_for
from geomdp.report.moments_section import consequences
from geomdp.report.numbers import manifest_rows, value_table
from geomdp.report.opening import STRENGTH, opening
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures.by_space import picture_of, picture_or_words, style_for
from geomdp.report.pictures.charts import error_chart, odds_chart
from geomdp.report.pictures.scene import single_plan, subject_of
from geomdp.report.words import Meaning, meaning, reading, share
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.statistics.moments import LogMoments, Moments
from geomdp.statistics.regression import Regression

#: Sections that register themselves when they are imported.
OWN_SECTIONS = (curves_section, regression_section)

#: Said where pictures show a value that is smoothed again, and of its error.
SMOOTHED_AGAIN = (
    "Pictures, and the mesh value.obj where there is one, show the released value smoothed again, "
    "as much as it itself asks: that follows from the release and the plan alone, and costs no "
    "privacy. value.npy holds the value as planned and drawn."
)
OF_THE_VALUE = (
    "This is the error of the value as planned. Smoothed again, as it is shown, it is mostly "
    "smaller and at times a little larger: how much is not known beforehand."
)


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
    plan = single_plan(release)
    guarantee = release.guarantee
    explained = meaning(guarantee.budget, guarantee.unit)
    rows = _rows(plan, guarantee, explained)
    title, head = opening(plan, "Report of a private release", title_for(plan), rows)
    return page(
        title,
        head,
        value_section(release, plan),
        picture_or_words(lambda: consequences(plan.statistic, release)),
        _guarantee(guarantee, explained),
        odds_section(guarantee, explained),
        _error(plan),
        section("Limits", tag("ul", [tag("li", text) for text in limits(plan)])),
        citation_section(release, plan),
        verify_section("FOLDER", release.manifest),
        script=script_for(plan),
    )


def script_for(plan: SinglePlan) -> str:
    """Return the script that a page with a value needs: where it can be turned.

    >>> import geomdp as dp
    >>> script_for(dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1)))
    ''
    """
    return "turn.js" if style_for(plan.statistic).turnable else ""


def verify_section(folder: str, manifest: Document | None = None) -> Html:
    """Return how anybody checks a release, with the numbers of its manifest folded.

    >>> "geomdp verify means" in verify_section("means")
    True
    """
    command = f"geomdp verify {folder}\ngeomdp verify {folder} --plan PLAN"
    folded: Content = ""
    if manifest is not None:
        folded = tag(
            "details",
            tag("summary", "Numbers of the manifest"),
            table(["name", "value"], manifest_rows(manifest), class_="stack"),
        )
    return section(
        "How to verify",
        paragraphs(
            "Anyone who has this folder can derive plan and noise again from the public numbers of "
            "the manifest, and compare every file with it; with the plan's file, also that this "
            "and no other plan was used. Neither needs the data."
        ),
        tag("pre", command),
        folded,
    )


def bare_html() -> str:
    """Return the page that stands in where a report cannot be made: the value was drawn already.

    Examples
    --------
    >>> "manifest.json" in bare_html()
    True
    """
    text = "No report could be made of this release. manifest.json and value.npy hold all of it."
    return page("Private release", paragraphs(text))


def _rows(
    plan: SinglePlan, guarantee: Guarantee, explained: Meaning
) -> list[tuple[Content, Content]]:
    return [
        ("Guarantee", budget_words(guarantee.budget, plan.n)),
        ("Kind", explained.name),
        ("Mechanism", plan.mechanism),
        ("Expected error", in_words(plan.statistic, plan.expected_error, plan.reading)),
    ]


def value_section(release: Release, plan: SinglePlan) -> Html:
    """Show a released value: its picture, something to turn, and its numbers.

    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Euclidean(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> "What was released" in value_section(plan.release([0.0, 1.0]), plan)
    True
    """
    style = style_for(plan.statistic, plan.reading)
    bold = " (bold)" if style.cloud else ", smoothed again," * shows_smoothed(plan)
    caption = f"The released value{bold} {style.caption}. {_around(plan) if style.cloud else ''}"
    drawings = []
    if not isinstance(plan.statistic, LogMoments | Regression):  # pictures are of what follows
        drawings.append(lambda: figure(picture_of(release), caption))
        if style.turnable is not None:
            drawings.append(lambda: _turnable(release, plan))
    content: list[Content] = [picture_or_words(drawing) for drawing in drawings]
    if shows_smoothed(plan):
        content.append(paragraphs(SMOOTHED_AGAIN))
    if release.manifest.get("projected"):
        content.append(paragraphs("The value was moved into the public ball after the noise."))
    point = plan.statistic.value_space is not None
    reading = plan.reading if point else None  # moments are no record
    content.append(value_table(release.value, reading=reading, names=plan.names))
    if isinstance(plan.statistic, Moments):
        rows = "First row: the mean of the logs at the centre; below: the mean of their products."
        content.append(tag("p", rows, class_="small"))
    return section("What was released", content)


def _turnable(release: Release, plan: SinglePlan) -> Html:
    turned = style_for(plan.statistic).turnable
    assert turned is not None  # seen to by the caller
    drawn = turned(subject_of(plan.statistic), shown(plan, release.value))
    again = ", smoothed again" * shows_smoothed(plan)
    return figure(drawn, f"The released value{again}: drag it to turn it.")


def _around(plan: SinglePlan) -> str:
    if plan.statistic.value_space is None:
        return "Around it, faint: the same value with other draws of the noise."
    return (
        f"Around it, faint: where the distance {plan.error_quantile(0.95):.3g} is reached, within "
        "which the true statistic lies in 95 of 100 releases."
    )


def _guarantee(guarantee: Guarantee, explained: Meaning) -> Html:
    if guarantee.strength == "none":
        return section("The guarantee", tag("p", STRENGTH["none"], class_="warning"))
    return section(
        "The guarantee",
        paragraphs(explained.plain, STRENGTH[guarantee.strength]),
        tag("p", explained.formula, class_="formula"),
        neighbours_words(guarantee.unit),
    )


def neighbours_words(unit: Unit) -> Html:
    """Say what the letters of the definition mean, and which data sets are neighbours.

    >>> "all records of one person" in neighbours_words(Unit.person())
    True
    """
    return paragraphs(
        "M is the release, D and D′ are neighbours: data sets of the same public size in which "
        f"{unit.neighbours()}."
    )


def odds_section(guarantee: Guarantee, explained: Meaning) -> Html:
    """Return what an attacker may know before and after a release; nothing of a comparison.

    >>> from geomdp.privacy import Pure, Unit
    >>> "belief before" in odds_section(Guarantee(Pure(1)), meaning(Pure(1), Unit.record()))
    True
    """
    if guarantee.strength == "none":
        return Html("")
    at = np.array(explained.at)
    after = explained.bound(at)
    rows = [[share(a), share(b)] for a, b in zip(at, after, strict=True)]
    caption = "Dotted: nothing learned. The curve: the most that the guarantee allows."
    return section(
        f"What {_number_name(guarantee)} means: an attacker before and after",
        tag(
            "div",
            tag(
                "div",
                table([explained.before, explained.after], rows),
                paragraphs(reading(explained)),
            ),
            figure(odds_chart(explained), caption),
            class_="columns",
        ),
    )


def _error(plan: SinglePlan) -> Html:
    statistic, reading = plan.statistic, plan.reading
    text = (
        f"The error is {in_words(statistic, plan.expected_error, reading)} on average, and at most "
        f"{in_words(statistic, plan.error_quantile(0.95), reading)} in 95 of 100 releases. This "
        "follows from the known law of the noise and not from the data."
    )
    note = [tag("p", f"Note: {plan.forecast.note}.", class_="small")] if plan.forecast.note else []
    return section(
        "How large the error may be",
        paragraphs(text, *[OF_THE_VALUE] * shows_smoothed(plan)),
        note,
        figure(error_chart(plan.forecast), "Distribution of the error, known before the release."),
    )


def citation_section(release: Release, plan: SinglePlan) -> Html:
    """Return whom to cite for a release."""
    texts = citations(plan, str(release.manifest.get("software", "geomdp")))
    return section("How to cite", join([tag("pre", text) for text in texts]))


def _number_name(guarantee: Guarantee) -> str:
    return f"the {guarantee.budget.number_name}"
