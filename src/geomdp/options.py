"""Options of the command, declared once, where the thing is declared that they are about.

A space, a reading, a statistic, a kind of budget or a mechanism lists its ``options`` and says how
they become an object; the help, the completion and the page of the command come from the lists, for
a plug-in as for what ships. Nothing here knows how options are typed or shown.
"""

import math
import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from geomdp.errors import GeomdpError

if TYPE_CHECKING:
    from geomdp.spaces import Ball, Space
    from geomdp.typing import Array

#: Panels of the help that several rooms share.
PUBLIC = "What is public"
RECORD = "What a record is"
CURVES = "Functions and surfaces"
BUDGET = "Budget: one of"
PEOPLE = "Groups and persons"
BOARD = "For the board"


class OptionError(GeomdpError):
    """Options that do not go together, or a text that one cannot read: wrong usage."""


@dataclass(frozen=True)
class Option:
    """One option, as it is typed.

    Attributes
    ----------
    name
        With its dashes.
    help
        What a person reads; an example belongs into it.
    panel
        Heading under which the help shows it; None among the command's own.
    metavar
        What stands for the value in the help.
    read
        Makes the value of a text, or raises an :class:`OptionError`; a text where it is None.
    type
        ``bool`` for a switch, ``Path`` for a file, ``int`` for a count from ``least``.
    choices
        The only texts, where they are few.
    examples
        Texts that completion offers, where others may be typed too.
    default
        Where the option is left out.
    many
        Whether it may be given more than once.
    needs
        What it goes with, as typed: said where it is given without.

    Examples
    --------
    >>> Option("--map-bound", "Bound.", read=read_number).key
    'map_bound'
    """

    name: str
    help: str = ""
    panel: str | None = None
    metavar: str | None = None
    read: Callable[[str], Any] | None = None
    type: type = str
    choices: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    default: Any = None
    many: bool = False
    least: int | None = None
    needs: str = ""

    @property
    def key(self) -> str:
        """Its name among what was given."""
        return self.name.lstrip("-").replace("-", "_")


class Given(Mapping[str, Any]):
    """What was typed, by key; what was left out has its default.

    Whoever takes options from people says how public points and files are found.
    """

    def __init__(self, options: Iterable[Option], values: Mapping[str, Any]) -> None:
        self._options = {option.key: option for option in options}
        self._values = {key: option.default for key, option in self._options.items()} | dict(values)

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def but(self, **values: Any) -> Self:
        """Return the same with other values."""
        return type(self)(self._options.values(), {**self._values, **values})

    def said(self, option: Option) -> bool:
        """Tell whether an option was given another value than its default."""
        return bool(self.get(option.key, option.default) != option.default)

    def refuse(
        self, options: Iterable[Option], used: Sequence[Option] = (), what: str = "this plan"
    ) -> None:
        """Refuse options that were given and are not among those used."""
        taken = {option.key for option in used}
        for option in options:
            if option.key not in taken and self.said(option):
                if option.needs:
                    raise OptionError(f"{option.name} goes with {option.needs}")
                raise OptionError(f"{what} goes without {option.name}")

    @abstractmethod
    def point(self, space: "Space", text: str) -> "Array":
        """Return the public point of a space that a text names: numbers, a word or a file."""

    @abstractmethod
    def ball(self) -> "Ball":
        """Return the public ball that the options name."""

    @abstractmethod
    def mask(self, text: str) -> Any:
        """Return the :class:`~geomdp.statistics.map_mean.VoxelGrid` of a mask's file."""


def gathered(*declared: Iterable[Option]) -> tuple[Option, ...]:
    """Return options that several things declare, each once.

    Raises ``GeomdpError`` if one name is declared as two things.
    """
    found: dict[str, Option] = {}
    for options in declared:
        for option in options:
            if found.setdefault(option.name, option) != option:
                raise GeomdpError(f"The option {option.name} is declared twice; rename one.")
    return tuple(found.values())


_DEGREES = re.compile(r"(.+?)\s*(?:°|deg|degs|degree|degrees)", re.IGNORECASE)


def read_number(text: str) -> float:
    """Read a decimal number."""
    number = _float(text)
    if number is not None:
        return number
    angle = _DEGREES.fullmatch(text.strip())
    degrees = None if angle is None else _float(angle[1].replace(",", "."))
    if degrees is not None:
        instead = f"{math.radians(degrees):.6g}"
        raise OptionError(f"{text!r} is in degrees; distances are in radians: write {instead}")
    if _float(text.replace(",", ".")) is not None:
        raise OptionError(f"{text!r} has a decimal comma; write {text.replace(',', '.').strip()}")
    raise OptionError(f"{text!r} is not a number; write one such as 0.3")


def read_count(text: str) -> int:
    """Read a number of records."""
    plain = text.strip()
    if re.fullmatch(r"[+-]?\d+", plain):
        return int(plain)
    thousands = re.fullmatch(r"\d{1,3}(?:[,.'_ ]\d{3})+", plain)
    number = _float(re.sub(r"\D", "", plain)) if thousands else _float(plain)
    if number is not None and abs(number) < 1e15 and number == round(number):
        raise OptionError(f"{text!r} is not written as a whole number; write {int(number)}")
    raise OptionError(f"{text!r} is not a whole number of records; write one such as 1000")


def _float(text: str) -> float | None:
    try:
        number = float(text.strip().replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def quoted(*words: object) -> str:
    """Return words as the shell of this system takes them, in a command that is printed.

    >>> quoted("geomdp", "verify", "my mean")
    "geomdp verify 'my mean'"
    """
    texts = [str(word) for word in words]
    if os.sep == "/":
        return shlex.join(texts)
    from subprocess import list2cmdline

    return list2cmdline(texts)
