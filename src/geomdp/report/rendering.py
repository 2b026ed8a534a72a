"""Pages from templates: a page is a template with public data, and text in it is escaped.

Layout stands in ``templates/``, sentences in :mod:`geomdp.report.words`. Data are plain: texts,
numbers, lists, and the few blocks below, which other packages use for sections of their own too.
Whatever is no block and was not drawn here is text, and becomes a paragraph.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, ClassVar, TypeAlias

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from geomdp.report import words

#: Text that is HTML already: whatever else stands in a page is escaped.
Html: TypeAlias = Markup

_HERE = "geomdp.report"


def asset(name: str) -> Html:
    """Read one of our own style sheets or scripts."""
    return Html((files(_HERE) / "assets" / name).read_text(encoding="utf-8"))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is missing is a mistake, not an empty place
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"asset": asset, "words": words}
    return made


def render(template: str, **data: Any) -> str:
    """Return a whole document that asks for nothing outside itself.

    ``data`` are its ``title``, and what else the template names.
    """
    return _environment().get_template(f"{template}.html").render(**data) + "\n"


def part(name: str, *data: Any) -> Html:
    """Return a piece of a page: a macro of ``templates/parts.html`` with its data."""
    return Html(getattr(_environment().get_template("parts.html").module, name)(*data))


class Block:
    """What stands in a page for itself; ``macro`` names its layout in ``templates/parts.html``."""

    macro: ClassVar[str]

    def __html__(self) -> Html:
        return part(self.macro, self)

    def __str__(self) -> str:
        return str(self.__html__())


#: What a page or a section consists of: text becomes a paragraph.
Content: TypeAlias = "Block | Html | str"


@dataclass(frozen=True)
class Note(Block):
    """A paragraph in small letters, or of another kind."""

    text: Any
    kind: str = "small"
    macro: ClassVar[str] = "note"


@dataclass(frozen=True)
class Items(Block):
    """A list of sentences."""

    texts: Sequence[str]
    macro: ClassVar[str] = "items"


@dataclass(frozen=True)
class Figure(Block):
    """A picture with its caption."""

    picture: Any
    caption: str
    macro: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Table(Block):
    """Rows under one head, in a box that scrolls on narrow screens.

    Of the kind ``stack`` its rows become lists there, each cell below the name of its column.
    """

    head: Sequence[str]
    rows: Iterable[Sequence[Any]]
    kind: str = ""
    macro: ClassVar[str] = "table"

    @property
    def stacks(self) -> bool:
        """Whether cells repeat the names of their columns."""
        return "stack" in self.kind.split()


@dataclass(frozen=True)
class Tiles(Block):
    """Small pictures to be compared, each below its heading."""

    tiles: Sequence[tuple[str, Any]]
    macro: ClassVar[str] = "tiles"


@dataclass(frozen=True)
class Captioned(Tiles):
    """Small pictures to be compared, each above its caption."""

    macro: ClassVar[str] = "captioned"


@dataclass(frozen=True)
class Folded(Block):
    """What opens at a click."""

    summary: str
    content: Any
    kind: str = ""
    macro: ClassVar[str] = "folded"


@dataclass(frozen=True)
class Section(Block):
    """A heading with what stands below it."""

    heading: str
    content: Sequence[Content]
    macro: ClassVar[str] = "section"


def picture_or_words(drawing: Callable[[], Any]) -> Any:
    """Return a picture, or a sentence where noise led beyond what can be drawn.

    A release cannot be drawn again because its picture fails, so that this is total; and nothing
    of the failure is told, since the page is published.
    """
    try:
        with np.errstate(all="ignore"):
            drawn = drawing()
            return Html(drawn.__html__()) if hasattr(drawn, "__html__") else drawn
    except Exception:
        return Note(words.BEYOND_PICTURES)


def pictures_or_words(drawings: Iterable[Callable[[], Any]]) -> list[Any]:
    """Return several, each for itself."""
    return [picture_or_words(partial(drawing)) for drawing in drawings]
