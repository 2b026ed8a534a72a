"""What a board reads beside the numbers of a plan, and the hash by which it knows it again."""

from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Self

from geomdp.errors import GeomdpError
from geomdp.options import BOARD, Given, Option
from geomdp.serial import Document, digest_of
from geomdp.version import software

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

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            object.__setattr__(self, name, _plain(name, text))

    #: What the command asks: words for the board, one option a field, in the fields' order.
    options: ClassVar[tuple[Option, ...]] = (
        Option("--title", "What the study is called.", panel=BOARD, default=""),
        Option("--purpose", "What the release is for.", panel=BOARD, default=""),
        Option("--data-description", "Which records, in words.", panel=BOARD, default=""),
        Option("--institution", "Who answers for the plan.", panel=BOARD, default=""),
        Option("--contact", "Whom to ask.", panel=BOARD, default=""),
    )

    @classmethod
    def asked(cls, given: Given) -> Self:
        """Build it from what was typed."""
        return cls(*(given[option.key] for option in cls.options))

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
    """Return a plan's document with its own hash.

    >>> seal_problem(sealed({"n": 9})), seal_problem({**sealed({"n": 9}), "n": 8})[:17]
    ('', 'The plan file was')
    """
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
