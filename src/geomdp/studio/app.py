"""What all screens share: the project, its pages, requests, and what becomes of errors."""

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any, TypeAlias

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geomdp.errors import GeomdpError
from geomdp.report import words
from geomdp.report.rendering import asset
from geomdp.studio.folder import Folder, NotThereError
from geomdp.studio.guard import TOKEN, Keys, equal

_HERE = "geomdp.studio"
#: Files of a form at most: a release of many groups has some a group.
MOST_FILES, MOST_FIELDS, LARGEST_FIELD = 2000, 400, 1 << 18
#: Our own files that pages name: style sheets and the script.
OWN = {"page.css": "text/css", "studio.css": "text/css", "studio.js": "text/javascript"}


@dataclass
class Studio:
    """One project that is shown, and what its screens share."""

    folder: Folder
    keys: Keys = field(default_factory=Keys)
    #: Releases at work or done, by the word of the form that began them, and by their folder.
    words: dict[str, Any] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    #: What was found of releases that were verified, by folder.
    verified: dict[str, str] = field(default_factory=dict)
    #: Seconds that looking at records took, by file and plan: foretells how long a release takes.
    took: dict[tuple[str, str], float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def pages(self) -> Environment:
        """Templates of the studio, and the pieces of the reports' pages."""
        loader = ChoiceLoader([PackageLoader(_HERE), PackageLoader("geomdp.report")])
        made = Environment(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.globals |= {"root": self.keys.root, "words": words, "token": self.keys.form}
        made.globals |= {"token_field": TOKEN, "project": self.folder.root.name}
        return made

    def page(self, template: str, status: int = 200, **data: Any) -> Response:
        """Return a page."""
        text = self.pages.get_template(f"{template}.html").render(**data)
        return Response(text, status, media_type="text/html; charset=utf-8")

    def go(self, place: str) -> Response:
        """Lead to another page; a reload of it does nothing again."""
        return RedirectResponse(f"{self.keys.root}{place}", 303)


@dataclass(frozen=True)
class Asked:
    """A request: names in its address, and what its form says."""

    names: Mapping[str, str]
    form: Mapping[str, str]
    files: tuple[tuple[str, bytes], ...] = ()
    posted: bool = False

    def said(self, key: str) -> str:
        """Return what was typed; empty where nothing was."""
        return self.form.get(key, "").strip()


#: What answers a request.
Screen: TypeAlias = Callable[[Studio, Asked], Response]


async def too_large(request: Request, error: Exception) -> Response:
    """Answer a form of more bytes than were announced."""
    return Response("That is more than the studio takes.", 413, media_type="text/plain")


async def not_found(request: Request, error: Exception) -> Response:
    """Answer an address that leads nowhere."""
    return Response("There is no such page.", 404, media_type="text/plain")


def own_file(studio: Studio, asked: Asked) -> Response:
    """Return a style sheet or the script."""
    name = asked.names["name"]
    if name not in OWN:
        raise NotThereError("There is no such file.")
    shared = name == "page.css"
    text = asset(name) if shared else (files(_HERE) / "assets" / name).read_text("utf-8")
    return Response(str(text), media_type=OWN[name])


def endpoint(studio: Studio, screen: Screen) -> Callable[[Request], Any]:
    """Answer in a thread; whatever goes wrong is a sentence, and nothing of it is logged."""

    async def answer(request: Request) -> Response:
        posted = request.method == "POST"
        typed, dropped = await _form_of(request) if posted else ({}, ())
        if posted and not equal(typed.get(TOKEN, ""), studio.keys.form):
            return studio.page("sentence", 403, title="Refused", sentence=_NO_TOKEN)
        names = {key: str(text) for key, text in request.path_params.items()}
        return await run_in_threadpool(
            _safely, studio, screen, Asked(names, typed, dropped, posted)
        )

    return answer


_NO_TOKEN = "This form is not from this studio, or the studio was started again: open it again."


def _safely(studio: Studio, screen: Screen, asked: Asked) -> Response:
    try:
        return screen(studio, asked)
    except NotThereError as error:
        return studio.page("sentence", 404, title="Not there", sentence=str(error))
    except GeomdpError as error:
        return studio.page("sentence", 400, title="Refused", sentence=str(error))
    except Exception as error:
        # Neither shown nor logged: what it says may be of the records.
        print(f"geomdp studio: {type(error).__name__} (nothing of it is shown)", file=sys.stderr)
        return studio.page("sentence", 500, title="Something is wrong", sentence=_BROKEN)


_BROKEN = (
    "This screen failed, and says no more since it may be of the records. The command that it "
    "stands for says more, on your own terminal."
)


async def _form_of(request: Request) -> tuple[dict[str, str], tuple[tuple[str, bytes], ...]]:
    """Return the texts and the files of a form; of a text that comes twice, all by lines."""
    typed, dropped = dict[str, str](), list[tuple[str, bytes]]()
    limits = {"max_files": MOST_FILES, "max_fields": MOST_FIELDS}
    form = await request.form(**limits, max_part_size=LARGEST_FIELD)
    async with _Closing(form):
        for key, value in form.multi_items():
            if isinstance(value, UploadFile):
                dropped.append((value.filename or "", await value.read()))
            else:
                typed[key] = f"{typed[key]}\n{value}" if key in typed else value
    return typed, tuple(dropped)


class _Closing:
    """Close a form's files at the end."""

    def __init__(self, form: Any) -> None:
        self._form = form

    async def __aenter__(self) -> Any:
        return self._form

    async def __aexit__(self, *_: object) -> None:
        await self._form.close()
