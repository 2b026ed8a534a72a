"""The index page of the demonstration: one card a release."""

from collections.abc import Sequence
from dataclasses import dataclass

from geomdp.plans import Plan
from geomdp.privacy.guarantee import budget_words
from geomdp.releases.estimates.stages import last_stage
from geomdp.releases.release import Release
from geomdp.report.markup import Html, pairs, tag
from geomdp.report.meaning_of_distance import in_words
from geomdp.report.opening import capital, warnings_list
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures.by_space import draw_subject, style_for
from geomdp.report.pictures.scene import release_scene, single_plan, subject_of

#: Files of a card's folder, and what their links say.
_LINKS = (
    ("release/report.html", "Report"),
    ("plan.html", "Choose the budget by looking"),
    ("release/manifest.json", "Manifest"),
    ("plan.json", "Plan"),
)


@dataclass(frozen=True, eq=False)
class Card:
    """A release to show: the folder it lies in, its heading and sentence, plan and release."""

    folder: str
    title: str
    sentence: str
    plan: Plan
    release: Release


def index_html(cards: Sequence[Card]) -> str:
    """Return the page from which a newcomer starts.

    Examples
    --------
    >>> "<h1>" in index_html([])
    True
    """
    return page(
        "geomdp: averages that keep secrets",
        tag("p", "geomdp, differential privacy on curved spaces", class_="kicker"),
        tag("h1", "Averages that keep secrets"),
        tag(
            "p",
            "Each picture below is an average that was published with a proof: whoever sees it "
            "learns about any single record behind it no more than the budget on its card allows. "
            "Directions, tensors, shapes and surfaces cannot be averaged like numbers, so the "
            "noise that protects them has to follow the curvature of the space they live in.",
            class_="lead",
        ),
        tag("div", [_card(card) for card in cards], class_="cards"),
        _next_steps(),
    )


def _card(card: Card) -> Html:
    last = last_stage(card.release)
    made = single_plan(last)
    scene = release_scene(made, last.value)
    subject = subject_of(made.statistic, made.reading)
    alt = f"The released value: {card.title}"
    records = [(capital(made.unit.plural), str(made.n))] if made.statistic.needs_n else []
    links = [tag("a", text, href=f"{card.folder}/{to}") for to, text in _LINKS]
    return tag(
        "article",
        tag("h2", card.title),
        tag("p", card.sentence),
        figure(
            draw_subject(subject, scene, card.folder, alt, first=True),
            "Bold: the private average. Faint: how far the true one may be from it."
            if style_for(made.statistic, made.reading).cloud
            else "The private average.",
        ),
        pairs(
            [
                *records,
                ("Budget", budget_words(card.plan.guarantee.budget, made.n)),
                ("Expected error", in_words(made.statistic, made.expected_error, made.reading)),
            ]
        ),
        warnings_list(card.plan),
        tag("p", links, class_="links"),
        class_="card",
    )


def _next_steps() -> Html:
    code = (
        "import numpy as np\n"
        "import geomdp as dp\n\n"
        "ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)   # public knowledge\n"
        "plan = dp.plan(dp.FrechetMean(ball), n=972, budget=dp.Pure(epsilon=1))\n"
        "print(plan)                       # touches no data\n"
        "release = plan.release(tensors)   # touches the data once\n"
        'release.save("mean-tensor")'
    )
    return section(
        "How it was made",
        paragraphs(
            "A plan says what is public (the space, a ball that holds every record, the number of "
            "records) and which budget may be spent; it forecasts the error before anyone touches "
            "the data. A release then reads the records once, and leaves the value, a manifest "
            "that anyone can check, and a report."
        ),
        tag("pre", tag("code", code)),
        paragraphs(
            "The noise is drawn anew each time: run the demo again and every value differs, by "
            "about the expected error."
        ),
    )
