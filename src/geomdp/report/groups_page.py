"""The page above the releases of groups: what they promise together, and the way to each report."""

from collections.abc import Mapping
from itertools import combinations

from geomdp.estimates import compare, moments_of
from geomdp.plans import ParallelPlan
from geomdp.plans.single import SinglePlan
from geomdp.privacy.equivalents import budget_words
from geomdp.release import Release
from geomdp.report.markup import Content, Html, pairs, table, tag
from geomdp.report.meaning_of_distance import in_words, title_of
from geomdp.report.moments_pictures import region_picture
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures import draw, picture_or_words, style_for
from geomdp.report.scene import release_scene
from geomdp.report.words import meaning
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.moments import LogMoments, Moments

#: Pairs of groups that are compared at most.
MOST_PAIRS = 15
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
    title = f"{title_of(made.statistic)}, by group"
    cards = [card(f"Group {label}", one, folders[label]) for label, one in release.parts.items()]
    return page(
        title,
        _head(title, made),
        _promise(made),
        section("The releases", tag("div", cards, class_="cards")),
        _differences(release, made),
        section("Limits", tag("ul", [tag("li", text) for text in _limits(made)])),
    )


def _head(title: str, made: ParallelPlan) -> Html:
    return tag(
        "header",
        tag("p", "Report of private releases that belong together", class_="kicker"),
        tag("h1", title),
        tag(
            "p",
            f"What was asked: {made.statistic.describe()}, of {made.n} records in "
            f"{len(made.plans)} groups.",
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


def card(title: str, release: Release, folder: str) -> Html:
    """Show one part of a release with the way to its own report."""
    made = release.plan
    assert isinstance(made, SinglePlan)
    caption = (
        "Bold: the private mean. Faint: how far the true one may be from it."
        if style_for(made.statistic).cloud
        else "The private mean."
    )

    def picture() -> Html:
        if isinstance(made.statistic, Cover):
            return paragraphs(f"Released: the radius {float(release.value[0]):.6g}.")
        if isinstance(made.statistic, LogMoments):
            return region_picture(moments_of(release), f"{folder}-region", first=True)
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
                ("Guarantee a record", budget_words(made.guarantee.budget, made.n)),
                ("Expected error", in_words(made.statistic, made.expected_error)),
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
    return texts
