"""The page above the releases of groups: what they promise together, and the way to each report."""

from collections.abc import Mapping
from itertools import combinations

from geomdp.plans import ParallelPlan
from geomdp.privacy.guarantee import budget_words
from geomdp.releases.estimates import compare, moments_of
from geomdp.releases.estimates.smoothing import shows_smoothed
from geomdp.releases.release import Release
from geomdp.report.html import citation_section, odds_section, verify_section
from geomdp.report.limits import limits
from geomdp.report.markup import Content, Html, pairs, table, tag
from geomdp.report.meaning_of_distance import in_words, title_for
from geomdp.report.opening import capital, opening
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures.by_space import multiples, picture_or_words, style_for
from geomdp.report.pictures.moments_pictures import region_scene
from geomdp.report.pictures.overlays import MOST_PAIRS, together
from geomdp.report.pictures.scene import Scene, release_scene, single_plan, subject_of
from geomdp.report.words import Meaning, meaning
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.moments import LogMoments, Moments

#: Said below all limits.
SMALL_GROUPS = (
    "The smaller a group, the larger the error of its mean: compare means by their expected "
    "errors. Differences of these means need no further budget."
)

_LINKS = (("report.html", "Report"), ("manifest.json", "Manifest"))


def groups_html(release: Release, made: ParallelPlan, folders: Mapping[str, str]) -> str:
    """Return the joint page of the groups' releases, to lie above their folders.

    Parameters
    ----------
    release
        Of all groups.
    made
        Its plan.
    folders
        Name of each group's folder, by label.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = dp.plan(mean, n={"a": 2, "b": 3}, budget=dp.Pure(100), mechanism="laplace")
    >>> data = dp.Records(np.tile([0.0, 0.0, 1.0], (5, 1)), group=list("ababb"))
    >>> text = groups_html(made.release(data), made, {"a": "1-a", "b": "2-b"})
    >>> 'href="1-a/report.html"' in text
    True
    """
    pictures = _pictures(release, made, folders)
    cards = [
        card(f"Group {label}", one, folders[label], pictures[label])
        for label, one in release.parts.items()
    ]
    first = next(iter(release.parts.values()))
    explained = meaning(made.budget, made.unit)
    kicker = "Report of private releases that belong together"
    rows = _rows(made, explained)
    title, head = opening(made, kicker, f"{title_for(made)}, by group", rows)
    return page(
        title,
        head,
        _promise(made, explained),
        odds_section(made.guarantee, explained),
        section("The releases", tag("div", cards, class_="cards")),
        picture_or_words(lambda: together(release, made)),
        _differences(release, made),
        section("Limits", tag("ul", [tag("li", text) for text in [*limits(made), SMALL_GROUPS]])),
        citation_section(first, single_plan(first)),
        verify_section("FOLDER"),
    )


def _rows(made: ParallelPlan, explained: Meaning) -> list[tuple[Content, Content]]:
    return [
        ("Promise, all together", budget_words(made.budget, made.n)),
        ("Kind", explained.name),
        ("Each release", f"{budget_words(made.share, made.n)} a {made.unit.counted}"),
    ]


def _promise(made: ParallelPlan, explained: Meaning) -> Html:
    """State the total promise, which none of the groups' own reports can state."""
    return section(
        "What they promise together",
        paragraphs(
            "Neighbours, which whoever sees all releases can hardly tell apart: data sets in which "
            f"{made.unit.neighbours()}.",
            f"How the releases add up: {made.unit.composition()}.",
            *_alone(made),
            explained.plain,
        ),
        tag("p", explained.formula, class_="formula"),
    )


def _alone(made: ParallelPlan) -> list[str]:
    """Say that a group's own report promises less, where it cannot promise as much to a person."""
    if made.unit.of == made.unit.in_a_group.of:
        return []
    return [
        "The promise is made to persons. Each group's own report states its share of it, which is "
        "a promise to single records."
    ]


def _pictures(release: Release, made: ParallelPlan, folders: Mapping[str, str]) -> dict[str, Html]:
    """Draw the groups' values on the same axes, each with how far the true one may be."""
    scenes, drawn = {}, {}
    for label, one in release.parts.items():
        try:
            scenes[f"{folders[label]}-"] = scene_of(one)
        except Exception:  # a value is out, and a picture must not fail it
            drawn[label] = picture_or_words(lambda: Html(1 / 0))
    labels = {f"{folders[label]}-": label for label in release.parts}
    alts = {name: f"The released value: group {label}" for name, label in labels.items()}
    subject = subject_of(made.statistic, made.reading)
    pictures = multiples(subject, scenes, alts, width=3.2)
    return drawn | {labels[name]: picture for name, picture in pictures.items()}


def scene_of(release: Release) -> Scene:
    """Return what a card shows: the value, or of moments the mean and its region."""
    made = single_plan(release)
    if isinstance(made.statistic, LogMoments):
        return region_scene(moments_of(release), made.names)
    return release_scene(made, release.value)


def card(title: str, release: Release, folder: str, picture: Html) -> Html:
    """Show one part of a release with the way to its own report."""
    made = single_plan(release)
    caption = (
        "Bold: the private mean. Faint: how far the true one may be from it."
        if style_for(made.statistic, made.reading).cloud
        else f"The private mean{', smoothed again' * shows_smoothed(made)}."
    )
    error = in_words(made.statistic, made.expected_error, made.reading)
    return tag(
        "article",
        tag("h2", title),
        picture if isinstance(made.statistic, Cover) else figure(picture, caption),
        pairs(
            [
                (capital(made.unit.plural), str(made.n)),
                (f"Guarantee a {made.unit.of}", budget_words(made.guarantee.budget, made.n)),
                ("Expected error", error),
            ]
        ),
        tag("p", [tag("a", text, href=f"{folder}/{to}") for to, text in _LINKS], class_="links"),
        class_="card",
    )


def _differences(release: Release, made: ParallelPlan) -> Html:
    """Compare groups whose moments were released, two by two."""
    asked = made.statistic
    if not isinstance(asked, Moments):
        return Html("")

    def compared() -> Html:
        found = {label: moments_of(part) for label, part in release.parts.items()}
        rows = []
        for a, b in list(combinations(found, 2))[:MOST_PAIRS]:
            result = compare(found[a], found[b])
            rows.append([f"{a}, {b}", f"{result.statistic:.4g}", f"{result.p_value:.3g}"])
        note = (
            f"Chi-square with {asked.dim} degrees of freedom, of the means of "
            "clipped logs at the common centre, sampling and privacy noise included. Free: it "
            "follows from the releases."
        )
        return Html(table(["groups", "chi-square", "p"], rows) + paragraphs(note))

    return section("Do the groups differ?", picture_or_words(compared))
