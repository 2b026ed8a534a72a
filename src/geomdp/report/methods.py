"""A paragraph for the methods section of an article, with citations: from the plan alone."""

from collections.abc import Iterator

from geomdp.plans import Plan
from geomdp.privacy.guarantee import budget_words
from geomdp.report import words
from geomdp.report.plan_words import asked, error_rows, radius_words
from geomdp.report.words import capital
from geomdp.version import software

#: Ideas that every release stands on; the papers behind a mechanism come from the plan.
FOUNDATION = (
    "Dwork, C., McSherry, F., Nissim, K., Smith, A. (2006). Calibrating noise to sensitivity in "
    "private data analysis. Theory of Cryptography, 265-284."
)


def methods_paragraph(plan: Plan) -> str:
    """Return what a methods section says of a release of this plan, and whom it cites.

    Nothing in it depends on records: it may be written before the release, and published with it.
    """
    promise = plan.guarantee
    cited = [*_papers(plan), FOUNDATION]
    text = [
        f"Statistic. {asked(plan)}",
        f"Preparation. {' '.join(_prepared(plan))}",
        f"Privacy. The release is differentially private ({len(cited)}): "
        f"{budget_words(promise.budget, plan.n)}. {words.neighbours(plan.unit)} "
        f"{words.invalid(promise)}" + "".join(f" {one}" for one in words.caveats(promise)),
        f"Mechanism. Noise was drawn by {plan.describe_mechanism()} with {software()}"
        f"{_numbers(len(cited) - 1)}, from the randomness of the operating system.",
        f"Error. {' '.join(_errors(plan))}",
        f"Plan. SHA-256 {plan.hash}.",
        "",
        *(f"({i}) {capital(one)}" for i, one in enumerate(cited, 1)),
    ]
    return "\n".join(text)


def _prepared(plan: Plan) -> Iterator[str]:
    """Say how a record became what is averaged, by public things alone."""
    statistic = plan.public_statistic
    if plan.reading is not None:
        yield f"A record was read as {plan.reading.describe()}."
    if statistic.public_radius is not None:
        radius = radius_words(statistic, statistic.public_radius, plan.reading)
        yield (
            f"A record farther than {radius} from the centre was moved to that distance; centre, "
            "radius and the number of records are public, and were fixed before anybody looked at "
            "the records."
        )


def _papers(plan: Plan) -> list[str]:
    """Return the papers behind all parts of a plan, each once."""
    parts = plan.parts.values() if plan.parts else (plan,)
    found = (paper for part in parts for paper in (part.shown.papers if part.shown else ()))
    return list(dict.fromkeys(found))


def _errors(plan: Plan) -> Iterator[str]:
    """Say the error of each value, as known before any record was read."""
    for row in error_rows(plan):
        yield (
            f"For {row.what}, the distance of the released from the exact value was expected to be "
            f"{row.expected} by noise, and at most {row.likely} in 95 of 100 releases."
        )


def _numbers(count: int) -> str:
    return f" ({', '.join(map(str, range(1, count + 1)))})" if count else ""
