"""What a board reads beside the numbers of a plan: words, the hash of all, and warnings."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

from geomdp.errors import GeomdpError
from geomdp.options import BOARD, Given, Option
from geomdp.plans.denoising import better_beyond
from geomdp.privacy.gaussian import gaussian_mu
from geomdp.privacy.guarantee import FAR_BELOW, as_epsilon, budget_words, usual_delta
from geomdp.serial import Document, digest_of
from geomdp.statistics.shrinking import noise_radius
from geomdp.version import software

if TYPE_CHECKING:
    from geomdp.plans.base import Plan


#: Field of a plan's document that holds the hash of all others.
HASH = "hash"
#: More than a page of text belongs into a document of its own.
MOST_CHARACTERS = 4000


@dataclass(frozen=True)
class About:
    """What a plan is for, who answers for it, and what it was made with. It calibrates nothing.

    Parameters
    ----------
    title, purpose
        What the study is called, and what the release is for.
    data
        Which records, in words: never taken from them.
    institution, contact
        Who answers for the plan.
    source
        Where centre, radius and ranges come from: never from the records.
    seen
        Who had opened the records before the ball was typed, and when.
    date, software
        Filled in by :func:`geomdp.plan`: the day in UTC, and the version with its commit.

    Examples
    --------
    >>> About(title="Diffusion tensors", contact="a@b.org").to_json()
    {'title': 'Diffusion tensors', 'contact': 'a@b.org'}
    """

    title: str = ""
    purpose: str = ""
    data: str = ""
    institution: str = ""
    contact: str = ""
    date: str = ""
    software: str = ""
    source: str = ""
    seen: str = ""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            object.__setattr__(self, name, _plain(name, text))

    #: What the command asks: words for the board, by the field that each fills.
    asks: ClassVar[dict[str, Option]] = {
        "title": Option("--title", "What the study is called.", panel=BOARD, default=""),
        "purpose": Option("--purpose", "What the release is for.", panel=BOARD, default=""),
        "data": Option("--data-description", "Which records, in words.", panel=BOARD, default=""),
        "institution": Option(
            "--institution", "Who answers for the plan.", panel=BOARD, default=""
        ),
        "contact": Option("--contact", "Whom to ask.", panel=BOARD, default=""),
        "source": Option(
            "--source", "Where centre, radius and ranges come from.", panel=BOARD, default=""
        ),
        "seen": Option(
            "--seen",
            "Who had opened the records before the ball was typed, and when: it is told to all.",
            panel=BOARD,
            default="",
        ),
    }
    options: ClassVar[tuple[Option, ...]] = tuple(asks.values())

    @classmethod
    def asked(cls, given: Given) -> Self:
        """Build it from what was typed."""
        return cls(**{field: given[option.key] for field, option in cls.asks.items()})

    def dated(self) -> Self:
        """Return it with today's date and this software, where it does not say so already."""
        today = datetime.now(UTC).date().isoformat()
        return replace(self, date=self.date or today, software=self.software or software())

    def to_json(self) -> Document:
        """Return what was said; what was not said is left out."""
        return {name: text for name, text in asdict(self).items() if text}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        unknown = document.keys() - {field.name for field in fields(cls)}
        if unknown:
            raise GeomdpError(f"The plan file says {min(unknown)!r}, which no plan says.")
        return cls(**document)


def sealed(document: Document) -> Document:
    """Return a plan's document with its own hash."""
    return {**document, HASH: hash_of(document)}


def hash_of(document: Document) -> str:
    """Return the SHA-256 of a plan's canonical JSON, its hash apart."""
    return digest_of({key: item for key, item in document.items() if key != HASH})


def seal_problem(document: Document) -> str:
    """Say that a document is not what its hash was made of; nothing where it is.

    The plans inside another plan have neither words about them nor a hash.
    """
    stated = document.get(HASH)
    if stated is None and "about" not in document:
        return ""
    with suppress(ValueError, RecursionError):  # numbers and depths that no plan of ours has
        if stated == hash_of(document):
            return ""
    return (
        "The plan file was altered after it was made: its content does not have the hash that it "
        "states; take the file from its source, or make the plan again and have it approved again."
    )


def _plain(name: str, text: Any) -> str:
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
        raise GeomdpError(
            f"The {name} of a plan must be text of at most {MOST_CHARACTERS} characters."
        )
    lines = [line.rstrip() for line in text.strip().split("\n")]
    if not all(line.isprintable() for line in lines):
        raise GeomdpError(f"The {name} of a plan must be printable text.")
    return "\n".join(lines)


# --- What a board would want to be warned of, each with what would help. From public things alone.


#: A larger epsilon promises little: odds may change by a factor of twenty thousand.
LARGEST_EPSILON = 10
#: Shares of the ball's radius that the expected noise may have: green up to the first, amber up to
#: the second, red beyond.
LITTLE_NOISE, MUCH_NOISE = 1 / 10, 1 / 3

#: Known to within this part of the records, the number of clipped ones says something.
TELLING = 0.1

Light: TypeAlias = Literal["green", "amber", "red"]


@dataclass(frozen=True)
class Caution:
    """A warning: which, what it says, and what would help.

    >>> print(Caution("epsilon", "It is large.", "Take a smaller one."))
    It is large. Take a smaller one.
    """

    name: Literal["delta", "epsilon", "noise"]
    says: str
    helps: str

    def __str__(self) -> str:
        return f"{self.says} {self.helps}"


def warnings_of(plan: "Plan") -> tuple[Caution, ...]:
    """Return what to be warned of, the promise first and the use of the value then."""
    return (*_delta(plan), *_epsilon(plan), *_noise(plan))


def noise_share(plan: "Plan") -> float | None:
    """Return the expected error as a share of the public radius; None where it is no part of it."""
    radius = error_radius(plan)
    return None if radius is None else plan.expected_error / radius


def error_radius(plan: "Plan") -> float | None:
    """Return the public radius, where errors are measured as it is."""
    asked = plan.public_statistic
    return None if asked.in_stages else asked.public_radius


def light_of(share: float) -> Light:
    """Return the traffic light for a share of noise."""
    if share <= LITTLE_NOISE:
        return "green"
    return "amber" if share <= MUCH_NOISE else "red"


def _delta(plan: "Plan") -> Iterator[Caution]:
    budget = plan.guarantee.budget
    delta = float(budget.parts[1]) if budget.has_delta else 0.0
    if budget.has_delta and FAR_BELOW * plan.n * budget.parts[1] > 1:
        yield Caution(
            "delta",
            f"Delta {delta:.3g} is not far below 1/n = {1 / plan.n:.3g}: a mechanism that "
            f"publishes {_in_full(plan)} in full now and then would keep such a promise.",
            f"Take a delta of {float(usual_delta(plan.n)):.0e} or less.",
        )


def _in_full(plan: "Plan") -> str:
    return "one record" if plan.unit.of == "record" else "all records of one person"


def _epsilon(plan: "Plan") -> Iterator[Caution]:
    budget = plan.guarantee.budget
    same = as_epsilon(budget, plan.n)
    if same.has_epsilon and same.parts[0] > LARGEST_EPSILON:
        yield Caution(
            "epsilon",
            f"An epsilon above {LARGEST_EPSILON} promises little: {budget_words(budget, plan.n)}.",
            f"Take a smaller budget, with more {plan.unit.plural} or a smaller public radius to "
            "keep the error small.",
        )


def _noise(plan: "Plan") -> Iterator[Caution]:
    for label, part in (plan.parts or {"": plan}).items():
        share = noise_share(part)
        if share is None or share <= MUCH_NOISE:
            continue
        where = f"In group {label} the" if label else "The"
        better = _than_the_center(part) if share >= 1 else ""
        yield Caution(
            "noise",
            f"{where} expected noise is {100 * share:.3g}% of the public radius, more than a "
            f"third.{better}",
            f"More {part.unit.plural}, a larger budget or a smaller public radius would help.",
        )


def _than_the_center(plan: "Plan") -> str:
    """Say that the public centre is the better guess; of a denoised value, how long it is."""
    beyond = better_beyond(plan.single) if plan.shown is plan else None
    if beyond is None or beyond == float("inf"):
        return " The public centre, which costs nothing, would be a better guess."
    return (
        " As drawn, the public centre, which costs nothing, would be a better guess; denoised, as "
        f"pages show it, only if the mean lies within about {beyond:.3g} of it."
    )


# --- What clipping does is told by whoever asks for it: whether that would say something here.


def clipping_lines(plan: "Plan") -> list[str]:
    """Say how to ask what clipping does, where one mechanism answers and that can be asked."""
    asked = plan.statistic
    radius = asked.public_radius
    if plan.shown is not plan or radius is None or asked.moved_by_clipping(radius) is None:
        return []
    off = share_error(plan)
    learnt = f"and learns the clipped share to within {100 * off:.2g}% of the records"
    told = learnt if off <= TELLING else "too little here to say much"
    return [f"Clipping     not told; --clipped (Clipped) asks for 3% of the budget, {told}"]


def share_error(plan: "Plan", part: float = 0.03) -> float:
    """Return how far off the share of clipped records would be, asked for a part of the budget.

    At most so far to one side in 95 of 100 releases; see :mod:`geomdp.plans.clipped_stages`.
    """
    request = plan.request
    if request.budget.is_pure:
        scale = 1 / (plan.n * float(request.epsilon) * part)
        return noise_radius(0.9, 1, 2**0.5 * scale, heavy=True)
    mu = float(gaussian_mu(request.share, request.gaussian))
    return noise_radius(0.9, 1, 1 / (plan.n * mu * part**0.5), heavy=False)
