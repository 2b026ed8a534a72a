"""The page above the releases of groups: what they promise together, and the way to each report."""

from collections.abc import Mapping
from itertools import combinations

from geomdp.estimates import compare, moments_of
from geomdp.estimates.smoothing import shows_smoothed
from geomdp.plans import ParallelPlan
from geomdp.privacy.equivalents import budget_words
from geomdp.release import Release
from geomdp.report.html import citation_section, odds_section, verify_section
from geomdp.report.limits import clipping
from geomdp.report.markup import Content, Html, pairs, table, tag
from geomdp.report.meaning_of_distance import in_words, title_for, with_spoken_spaces
from geomdp.report.moments_pictures import region_scene
from geomdp.report.overlays import MOST_PAIRS, together
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures import multiples, picture_or_words, style_for
from geomdp.report.scene import Scene, release_scene, single_plan, subject_of
from geomdp.report.words import meaning
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.moments import LogMoments, Moments

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
    title = f"{title_for(made)}, by group"
    pictures = _pictures(release, made, folders)
    cards = [
        card(f"Group {label}", one, folders[label], pictures[label])
        for label, one in release.parts.items()
    ]
    first = next(iter(release.parts.values()))
    return page(
        title,
        _head(title, made),
        _promise(made),
        odds_section(made.guarantee, meaning(made.budget)),
        section("The releases", tag("div", cards, class_="cards")),
        picture_or_words(lambda: together(release, made)),
        _differences(release, made),
        section("Limits", tag("ul", [tag("li", text) for text in _limits(made)])),
        citation_section(first, single_plan(first)),
        verify_section("FOLDER"),
    )


def _head(title: str, made: ParallelPlan) -> Html:
    return tag(
        "header",
        tag("p", "Report of private releases that belong together", class_="kicker"),
        tag("h1", title),
        tag(
            "p",
            f"What was asked: {with_spoken_spaces(made.statistic.describe(), made)}, of {made.n} "
            f"records in {len(made.plans)} groups.",
            class_="lead",
        ),
        pairs(
            [
                ("Promise, all together", budget_words(made.budget, made.n)),
                ("Kind", meaning(made.budget).name),
                ("Each release", f"{budget_words(made.share, made.n)} a record"),
            ]
        ),
    )


def _promise(made: ParallelPlan) -> Html:
    """State the total promise, which none of the groups' own reports can state."""
    explained = meaning(made.budget)
    content: list[Content] = [
        paragraphs(
            "Neighbours, which whoever sees all releases can hardly tell apart: data sets in which "
            f"{made.unit.neighbours()}.",
            f"How the releases add up: {made.unit.composition()}.",
        )
    ]
    if made.unit.of == "person":
        content.append(
            paragraphs(
                "The promise is made to persons: below, “record” means all records of one person. "
                "Each group's own report speaks of one record alone."
            )
        )
    content += [paragraphs(explained.plain), tag("p", explained.formula, class_="formula")]
    return section("What they promise together", content)


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
                ("Records", str(made.n)),
                ("Guarantee a record", budget_words(made.guarantee.budget, made.n)),
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


def _limits(made: ParallelPlan) -> list[str]:
    private = made.unit.labels == "private"
    who = (
        "who belongs to which group is protected"
        if private
        else "so are the labels: that someone belongs to a group is not protected"
    )
    texts = [
        "Other releases from the same data add up: their budgets compose with this promise.",
        f"The sizes of the groups are public; {who}.",
        clipping(made.statistic),
        "The smaller a group, the larger the error of its mean: compare means by their "
        "expected errors. Differences of these means need no further budget.",
    ]
    most = made.unit.max_records
    if most is not None and most > 1:
        texts.append(
            f"Nobody has more than {most} records: the curator said so, and a release of anything "
            "else was refused."
            if private
            else f"Records beyond a person's first {most} did not count."
        )
    return [text for text in texts if text]
