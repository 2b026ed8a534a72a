"""The page above a cohort's releases: what they promise together, and the way to each report."""

from collections.abc import Mapping

from geomdp.cohort_release import CohortRelease
from geomdp.cohorts import CohortPlan
from geomdp.planning import Plan
from geomdp.release import Release
from geomdp.report.markup import Content, Html, pairs, tag
from geomdp.report.meaning_of_distance import in_words, title_of
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures import draw, picture_or_words, style_for
from geomdp.report.scene import release_scene
from geomdp.report.words import meaning

_LINKS = (("report.html", "Report"), ("manifest.json", "Manifest"))


def cohort_html(cohort: CohortRelease, folders: Mapping[str, str]) -> str:
    """Return the joint page of a cohort's releases, to lie above their folders.

    Parameters
    ----------
    cohort
        The releases of all groups.
    folders
        Name of each group's folder, by label.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> from geomdp.cohort_release import release_cohort
    >>> from geomdp.cohorts import Cohort, plan_cohort
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = plan_cohort(mean, Cohort({"a": 2, "b": 3}), dp.Pure(100), "laplace")
    >>> out = release_cohort(made, np.tile([0.0, 0.0, 1.0], (5, 1)), labels=list("ababb"))
    >>> 'href="1-a/report.html"' in cohort_html(out, {"a": "1-a", "b": "2-b"})
    True
    """
    made = cohort.plan
    title = f"{title_of(made.statistic)}{', by group' if made.cohort.grouped else ''}"
    cards = [
        _card(
            f"Group {label}" if made.cohort.grouped else "Everyone",
            made.plans[label],
            release,
            folders[label],
        )
        for label, release in cohort.releases.items()
    ]
    return page(
        title,
        _head(title, made),
        _promise(made),
        section("The releases", tag("div", cards, class_="cards")),
        section("Limits", tag("ul", [tag("li", text) for text in _limits(made)])),
    )


def _head(title: str, made: CohortPlan) -> Html:
    sizes = made.cohort.sizes
    groups = f" in {len(sizes)} groups" if made.cohort.grouped else ""
    return tag(
        "header",
        tag("p", "Report of private releases that belong together", class_="kicker"),
        tag("h1", title),
        tag(
            "p",
            f"What was asked: {made.statistic.describe()}, of {sum(sizes.values())} records"
            f"{groups}.",
            class_="lead",
        ),
        pairs(
            [
                ("Promise, all together", f"{made.budget!r}"),
                ("Kind", meaning(made.budget).name),
                ("Each release", f"{made.cohort.record_budget(made.budget)!r} a record"),
            ]
        ),
    )


def _promise(made: CohortPlan) -> Html:
    """State the total promise, which none of the groups' own reports can state."""
    cohort, explained = made.cohort, meaning(made.budget)
    content: list[Content] = [
        paragraphs(
            "Neighbours, which whoever sees all releases can hardly tell apart: data sets in which "
            f"{cohort.neighbours()}.",
            f"How the releases add up: {cohort.composition()}.",
        )
    ]
    if cohort.max_per_person > 1:
        content.append(
            paragraphs(
                "The promise is made to persons: below, “record” means all records of one person. "
                "Each group's own report speaks of one record alone."
            )
        )
    content += [paragraphs(explained.plain), tag("p", explained.formula, class_="formula")]
    return section("What they promise together", content)


def _card(title: str, made: Plan, release: Release, folder: str) -> Html:
    caption = (
        "Bold: the private mean. Faint: how far the true one may be from it."
        if style_for(made.statistic).cloud
        else "The private mean."
    )

    def picture() -> Html:
        scene = release_scene(made, release.value)
        alt = f"The released value: {title}"
        return figure(draw(made.statistic, scene, f"{folder}-", alt, first=True), caption)

    return tag(
        "article",
        tag("h2", title),
        picture_or_words(picture),
        pairs(
            [
                ("Records", str(made.n)),
                ("Guarantee a record", f"{made.guarantee.budget!r}"),
                ("Expected error", in_words(made.statistic, made.expected_error)),
            ]
        ),
        tag("p", [tag("a", text, href=f"{folder}/{to}") for to, text in _LINKS], class_="links"),
        class_="card",
    )


def _limits(made: CohortPlan) -> list[str]:
    texts = ["Other releases from the same data add up: their budgets compose with this promise."]
    if made.cohort.grouped:
        who = (
            "who belongs to which group is protected"
            if made.cohort.private_labels
            else ("so are the labels: that someone belongs to a group is not protected")
        )
        texts += [
            f"The sizes of the groups are public; {who}.",
            "The smaller a group, the larger the error of its mean: compare means by their "
            "expected errors. Differences of these means need no further budget.",
        ]
    if made.cohort.max_per_person > 1:
        texts.append(
            f"Records beyond a person's first {made.cohort.max_per_person} did not count."
            if not made.cohort.private_labels
            else f"Nobody has more than {made.cohort.max_per_person} records: the curator said so, "
            "and a release of anything else was refused."
        )
    return texts
