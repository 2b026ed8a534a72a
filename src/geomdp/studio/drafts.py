"""What was typed for a plan so far: texts by option, as the command takes them.

Options come from the same declarations as the command's, and are read by the same functions. What
a field refuses is told beside it, with what would help as a button where the sentence names it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError
from geomdp.io.atomic import write_whole
from geomdp.options import BOARD, BUDGET, CURVES, PEOPLE, RECORD, Option, OptionError, read_number
from geomdp.plans.about import About
from geomdp.spaces.options import CENTER, RADIUS, SPACE
from geomdp.statistics.covariates import COVARIATE
from geomdp.studio.folder import DRAFT, Folder
from geomdp.typed.inputs import Typed
from geomdp.typed.options import (
    COUNT,
    FIND_BALL,
    NAMES,
    OF_PERIOD,
    STATISTIC,
    data_options,
    plan_options,
)
from geomdp.typed.planning import made_of

if TYPE_CHECKING:
    from geomdp.plans import Plan

#: Text of one field at most.
LONGEST = 20_000
#: What is typed for a switch that is on.
ON = "yes"
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def reading_options() -> tuple[Option, ...]:
    """Return how records are read, as forms ask it; of releases over time the command asks more."""
    return tuple(one for one in data_options() if one not in OF_PERIOD)


@dataclass(frozen=True)
class Fix:
    """What would help: a field, and the text that it should have."""

    key: str
    text: str
    words: str


@dataclass(frozen=True)
class Wrong:
    """What is wrong, the fields beside which it is said, and what would help."""

    sentence: str
    keys: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


class FieldError(GeomdpError):
    """A field's text cannot be read."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True)
class Draft:
    """A plan that is being written.

    ``name``: of the draft's file, and of the plan's. ``plan``, ``data``: texts by the keys of
    ``geomdp plan``'s options, and of those that say how records are read. ``file``: where the
    records are, in the project's folder. ``seen``: the day on which records were opened, if that
    was before the ball was typed.
    """

    name: str
    plan: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    seen: str = ""

    def saved(self, folder: Folder) -> "Draft":
        """Write it down, and return it."""
        said = {"plan": dict(self.plan), "data": dict(self.data), "file": self.file}
        text = json.dumps({**said, "seen": self.seen}, indent=1) + "\n"
        write_whole(folder.root / folder.path(f"{self.name}{DRAFT}"), text)
        return self

    def with_texts(self, typed: Mapping[str, str]) -> "Draft":
        """Return it with what a form says; what is empty is left out."""
        plan, data = dict(self.plan), dict(self.data)
        for options, texts in ((plan_options(), plan), (reading_options(), data)):
            for option in options:
                if option.key in typed:
                    texts[option.key] = typed[option.key].strip()[:LONGEST]
        kept = {key: text for key, text in plan.items() if text}
        file = typed.get("file", self.file)
        return replace(self, plan=kept, data={k: t for k, t in data.items() if t}, file=file)

    @property
    def has_ball(self) -> bool:
        """Whether what must be typed before records are opened was typed."""
        ball = CENTER.key in self.plan and RADIUS.key in self.plan
        return ball or "ball" in self.plan or FIND_BALL.key in self.plan

    def opened(self) -> "Draft":
        """Note that records were opened now, where the ball was not typed before."""
        if self.has_ball or self.seen:
            return self
        return replace(self, seen=datetime.now(UTC).date().isoformat())

    @property
    def given(self) -> Typed:
        """What was typed, read: for a plan."""
        texts = dict(self.plan)
        if self.seen:
            seen = f"records were opened in the studio on {self.seen}, before the ball was typed"
            texts[About.asks["seen"].key] = "; ".join(filter(None, (texts.get("seen", ""), seen)))
        return read(plan_options(), texts)

    @property
    def reading(self) -> Typed:
        """What was typed, read: of how a file is read."""
        return read(data_options(), self.data)

    def made(self) -> "Plan":
        """Make the plan."""
        return made_of(self.given)

    def require_inside(self, folder: Folder) -> "Draft":
        """Refuse texts that name files outside the project."""
        options = {option.key: option for option in (*plan_options(), *data_options())}
        for key, text in {**self.plan, **self.data}.items():
            if options[key].type is Path or _names_a_file(text):
                folder.path(text)
        if self.file:
            folder.there(self.file)
        return self


def _names_a_file(text: str) -> bool:
    """Tell whether a text could be read as a file's name: those that are there are files."""
    try:
        return Path(text).is_absolute() or Path(text).exists()
    except (OSError, ValueError):
        return False


def load_draft(folder: Folder, name: str) -> Draft:
    """Read a draft."""
    found = folder.read_draft(name)
    plan, data = (_texts(found.get(part)) for part in ("plan", "data"))
    file, seen = (str(found.get(part, "")) for part in ("file", "seen"))
    empty = Draft(name, file=file, seen=seen)
    return empty.with_texts({**data, **plan}).require_inside(folder)


def _texts(found: Any) -> dict[str, str]:
    return {str(key): str(text) for key, text in found.items()} if isinstance(found, dict) else {}


def read(options: Iterable[Option], texts: Mapping[str, str]) -> Typed:
    """Read texts as the command does, and with decimal commas."""
    options = tuple(options)
    values = {one.key: _value(one, texts[one.key]) for one in options if one.key in texts}
    return Typed(options, values)


def _value(option: Option, text: str) -> Any:
    try:
        if option.many:
            return [_one(option, line.strip()) for line in text.splitlines() if line.strip()]
        return _one(option, text)
    except OptionError as error:
        raise FieldError(option.key, str(error)) from error


def _one(option: Option, text: str) -> Any:
    if option.type is bool:
        return text == ON
    if option.key == COVARIATE.key:
        text = _between(text)
    if option.choices and text not in option.choices:
        raise OptionError(f"{option.name} is one of {', '.join(option.choices)}")
    if option.read is not None or option.panel == BUDGET:
        text = with_point(text) if option.read in (None, read_number) else text
        return text if option.read is None else option.read(text)
    if option.type is Path:
        return Path(text)
    if option.type is int:
        if not text.isdecimal() or int(text) < (option.least or 0):
            raise OptionError(f"{option.name} is a whole number from {option.least or 0}")
        return int(text)
    return _points(text) if option.key == CENTER.key else text


def with_point(text: str) -> str:
    """Write a decimal comma as a point, where it can be nothing else."""
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if _THOUSANDS.fullmatch(plain):
        short = plain.rstrip("0").rstrip(",").replace(",", ".")
        raise OptionError(f"{text!r} may be {short} or {plain.replace(',', '')}; write one of them")
    return plain.replace(",", ".") if _DECIMAL_COMMA.fullmatch(plain) else plain


def _between(text: str) -> str:
    """Write a covariate's range with decimal commas as the command takes it; levels stay."""
    name, _, ends = text.rpartition("=")
    return f"{name}={':'.join(map(with_point, ends.split(':')))}" if ":" in ends else text


def _points(text: str) -> str:
    """Write a point with semicolons between numbers with decimal commas as the command takes it."""
    return text.replace(",", ".").replace(";", ",") if ";" in text else text


def wrong(error: Exception) -> Wrong:
    """Say what is wrong, where, and what would help.

    An option that the sentence names is where; if it also says what to write there, that is a
    button.
    """
    sentence, keys, fixes = str(error), list[str](), list[Fix]()
    own = getattr(error, "key", None)
    options = {option.name: option for option in (*plan_options(), *data_options())}
    for found in re.finditer(r"(--[a-z][a-z-]*)(?: ([^\s;]+))?", sentence):
        option, said = options.get(found[1]), (found[2] or "").rstrip(".:") or (found[2] or "")
        if option is None:
            continue
        keys.append(option.key)
        if option.type is bool:
            fixes.append(Fix(option.key, ON, f"Turn on {option.name}"))
        elif said in option.choices:
            fixes.append(Fix(option.key, said, f"Set {option.name} to {said}"))
    # Columns that hold numbers are named where others do not.
    numbers = re.search(r"; numbers in (.+)\)\.?$", sentence)
    names = numbers[1].split(", ") if numbers else []
    if "column" in keys and names and " more" not in names[-1]:
        fixes.append(Fix("column", "\n".join(names), f"Take the columns {', '.join(names)}"))
    # What is to be written instead is the last thing that such a sentence says.
    instead = re.search(r"write (\S+)$", sentence)
    if own is not None:
        keys.insert(0, own)
        if instead:
            fixes.append(Fix(own, instead[1], f"Write {instead[1]}"))
    unique = {(fix.key, fix.text): fix for fix in fixes}
    return Wrong(sentence, tuple(dict.fromkeys(keys)), tuple(unique.values()))


def screens(questions: Iterable[Option]) -> dict[str, tuple[list[Option], list[Option]]]:
    """Return which options each screen asks: those that most plans need, and the others."""
    board, people = (_of_panel(panel) for panel in (BOARD, PEOPLE))
    record = [NAMES, *_of_panel(RECORD), *_of_panel(CURVES)]
    asked = [STATISTIC, *questions, *people]
    named = {one.key: one for one in plan_options()}
    budget = _of_panel(BUDGET)
    first = [named[key] for key in ("center", "radius", "n")]
    taken = {one.key for one in (SPACE, *record, *asked, *budget, *first, *board)}
    rest = [one for one in named.values() if one.key not in taken]
    source = About.asks["source"]
    return {
        "data": ([named[SPACE.key]], [named[one.key] for one in record if one.key in named]),
        "question": ([named[STATISTIC.key]], people),
        "private": ([*first, source], [*rest, *budget]),
        "board": ([one for one in board if one not in (source, About.asks["seen"])], []),
    }


def _of_panel(panel: str) -> list[Option]:
    return [one for one in plan_options() if one.panel == panel]


#: What the number of records is called.
NUMBER = COUNT.key
