"""The index page of the demonstration: one card a release."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from geomdp.plans import Plan
from geomdp.plans.release import Release
from geomdp.privacy.guarantee import budget_words
from geomdp.report.naming import in_words, subject_of
from geomdp.report.pictures.by_space import draw_subject, style_for
from geomdp.report.pictures.scene import release_scene
from geomdp.report.plan_words import warning_words
from geomdp.report.rendering import Figure, render
from geomdp.report.words import capital

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
    """Return the page from which a newcomer starts."""
    shown = [_card(card) for card in cards]
    return render("demo", title="geomdp: averages that keep secrets", cards=shown, script="")


def _card(card: Card) -> dict[str, Any]:
    last = card.release.answer
    made = last.plan.single
    alt = f"The released value: {card.title}"
    subject, scene = subject_of(made.statistic, made.reading), release_scene(last)
    caption = (
        "Bold: the private average. Faint: how far the true one may be from it."
        if style_for(made.statistic, made.reading).cloud
        else "The private average."
    )
    records = [(capital(made.unit.plural), str(made.n))] if made.statistic.needs_n else []
    return {
        "title": card.title,
        "sentence": card.sentence,
        "picture": Figure(draw_subject(subject, scene, card.folder, alt, first=True), caption),
        "rows": [
            *records,
            ("Budget", budget_words(card.plan.guarantee.budget, made.n)),
            ("Expected error", in_words(made.statistic, made.expected_error, made.reading)),
        ],
        "warned": warning_words(card.plan),
        "folder": card.folder,
        "links": _LINKS,
    }
