"""What stands beside the error by noise: clipping, and whether the public centre would do.

All of it follows from the released values and from public things.
"""

from typing import Any

import numpy as np

from geomdp.plans import Plan, SinglePlan
from geomdp.plans.about import MUCH_NOISE
from geomdp.plans.denoising import better_beyond
from geomdp.plans.release import Release
from geomdp.releases.estimates.denoised import shown
from geomdp.report import words
from geomdp.report.naming import in_words, subject_of
from geomdp.report.pictures.by_space import style_for
from geomdp.report.pictures.overlays import distance
from geomdp.report.rendering import Figure, Section, picture_or_words
from geomdp.report.sections import SECTIONS
from geomdp.report.words import capital

#: The question of the line.
BETTER = "Better than the public centre?"


def against_the_center(plan: SinglePlan, whole: Plan | None = None) -> list[tuple[str, str]]:
    """Say whether the release is better than what was public before, by public things alone.

    Of the denoised value where pages show that, and where its error is known wherever the mean
    lies. ``whole`` is the plan in stages that it is the answer of: a ball that was found has a
    centre that was released.
    """
    asked = plan.statistic
    pair, radius = asked.compared, asked.compared_within
    if radius is None or not (pair or _has_center(plan)):
        anywhere = asked.mean_space is not None and asked.public_ball is None
        return [(BETTER, words.NO_CENTER)] * anywhere
    found = whole is not None and not np.array_equal(
        whole.public_statistic.public_center, asked.public_center
    )
    what, center = pair or ("the mean of the clipped records", words.CENTERS[found])
    beyond = better_beyond(plan)
    error = plan.expected_error if beyond is None else beyond
    verdict = "no" if error >= radius else "perhaps" if error > MUCH_NOISE * radius else "likely"
    said = words.AGAINST_THE_CENTER if beyond is None else words.AGAINST_DENOISED
    least, most = (in_words(asked, one, plan.reading) for one in (min(error, radius), radius))
    told = {"error": error_words(plan) if beyond is None else least, "radius": most}
    return [(BETTER, said[verdict].format(what=what, center=center, **told))]


def near_words(plan: SinglePlan, value: Any) -> list[str]:
    """Warn of a value that is as near to the centre as noise alone would put it."""
    if not _has_center(plan):
        return []
    try:
        asked = plan.statistic
        point = asked.mean_space is not None
        public = asked.public_center if point else asked.public_value
        away = distance(asked, asked.mean_point(np.asarray(value)), np.asarray(public))
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):  # beyond what floats tell
        return []
    likely = plan.error_quantile(0.95)
    if away is None or not away <= likely:
        return []
    told = (in_words(asked, one, plan.reading) for one in (away, likely))
    return [words.AS_NEAR.format(*told)]


def clipping_rows(release: Release, answer: SinglePlan) -> list[tuple[str, str]]:
    """Put beside the error by noise what clipping does: what was released of it, or the way to."""
    found = release.clipping
    asked, radius = answer.statistic, answer.statistic.public_radius
    if not _has_center(answer) or radius is None or asked.moved_by_clipping(radius) is None:
        return []
    if found is None:
        return [("What clipping does", words.CLIPPING_NOT_ASKED)]
    bias, both = (
        in_words(answer.statistic, one, answer.reading)
        for one in (found.bias, found.together(answer.error_quantile(0.975)))
    )
    return [
        ("What clipping does", f"At most {bias}{found.condition}: {_number(found)}."),
        ("Noise and clipping together", f"At most {both} in 95 of 100 releases."),
    ]


def _number(found: Any) -> str:
    """Say what was released of clipping, and its upper bound in 95 of 100 releases."""
    if found.counted:
        most = f"{found.upper * found.n:.3g} ({100 * found.upper:.3g}%)"
        return f"about {found.records:.3g} of {found.n} are clipped, at most {most}"
    return (
        f"their mean excess over the radius, up to {found.asked.cap:.3g} each, is about "
        f"{found.estimate:.3g}, at most {found.upper:.3g}"
    )


def difference(release: Release, plan: SinglePlan) -> list[Any]:
    """Picture how far a surface is from the public template, which it may look like."""
    drawn = style_for(plan.statistic, plan.reading).difference
    if drawn is None:
        return []
    subject = subject_of(plan.statistic, plan.reading)
    return [picture_or_words(lambda: Figure(drawn(subject, shown(release)), words.DIFFERENCE))]


def error_words(plan: SinglePlan) -> str:
    """Return the expected error with what it means."""
    return in_words(plan.statistic, plan.expected_error, plan.reading)


def _has_center(plan: SinglePlan) -> bool:
    """Tell whether a value could be compared with a public centre or template."""
    asked = plan.statistic
    of_a_ball = asked.public_ball is not None and asked.mean_space is not None
    return of_a_ball or asked.as_clipped() is not None


def clipping_section(release: Release) -> Section:
    """Say what the stage that asks about clipping released."""
    asked = release.plan.statistic
    return Section("What follows from it", [f"{capital(asked.describe())}. {words.COUNTED}"])


SECTIONS.register("clipping", clipping_section)
