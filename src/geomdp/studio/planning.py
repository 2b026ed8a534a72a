"""From records to a plan: what there is, what is asked, how private and how exact."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.responses import Response

from geomdp.errors import GeomdpError
from geomdp.report.odds import meaning
from geomdp.report.pictures.by_space import multiples, picture_at
from geomdp.report.pictures.ink import own_settings
from geomdp.report.pictures.public_pictures import public_pictures, where_records_are_drawn
from geomdp.report.pictures.scene import Scene
from geomdp.report.plan_words import asked as asked_words
from geomdp.report.plan_words import (
    denoised_rows,
    error_notes,
    error_rows,
    promise_words,
    warning_words,
)
from geomdp.report.release_pages import attacker
from geomdp.report.rendering import Table, picture_or_words
from geomdp.studio.app import Asked, Screen, Studio
from geomdp.studio.drafts import Draft, load_draft, reading_options, screens, wrong
from geomdp.studio.folder import DRAFT, PLAN
from geomdp.studio.questions import (
    fields_of,
    of_records,
    offered,
    over_time,
    question_options,
    with_covariate,
)
from geomdp.studio.same import command, data_words, plan_command, plan_python
from geomdp.typed.records import choices_of, looked_at, read_data

if TYPE_CHECKING:
    from geomdp.plans import Plan
    from geomdp.statistics import Statistic

#: Records that are drawn for the curator's eyes.
DRAWN = 6
#: Budgets of published uses, each with who and where it is told: to compare a slider with.
PRECEDENTS = (
    ("ε = 1", "Wikimedia, page views by country, a day of one reader", "arXiv:2308.16298"),
    ("ε = 2.64", "Google, Community Mobility Reports, a day of one user", "arXiv:2004.04145"),
    (
        "ε = 4",
        "Apple, emoji suggestions, a day of one user, on the device",
        "Apple, Learning with Privacy at Scale, 2017",
    ),
    ("ε = 9.98", "Israel's registry of live births 2014, one birth", "arXiv:2405.00267"),
    (
        "ε = 19.61",
        "United States, redistricting data of the 2020 Census, one person",
        "Census Bureau, 9 June 2021",
    ),
)


def start(studio: Studio, asked: Asked) -> Response:
    """Begin a plan."""
    name = asked.said("name")
    studio.folder.new(name, DRAFT)
    studio.folder.new(name, PLAN)
    Draft(name).saved(studio.folder)
    return studio.go(f"/draft/{name}/data")


def _draft_of(studio: Studio, asked: Asked) -> Draft:
    """Return the draft of a request, with what its form says."""
    draft = load_draft(studio.folder, asked.names["name"])
    return draft.with_texts(asked.form).require_inside(studio.folder) if asked.posted else draft


def _next(order: str, here: str) -> str:
    steps = order.split()
    return steps[min(steps.index(here) + 1, len(steps) - 1)]


ORDER = "data question private board"


def step(here: str, filled: Callable[[Studio, Draft, Asked], dict[str, Any]]) -> Screen:
    """Return the screen of a step: it shows a draft, takes what is typed, and goes on."""

    def screen(studio: Studio, asked: Asked) -> Response:
        draft = _draft_of(studio, asked)
        said = asked.said("do")
        if asked.posted:
            for text in filter(None, (asked.said("fix"),)):
                key, _, value = text.partition("=")
                draft = draft.with_texts({key: value})
            draft.saved(studio.folder)
            if said == "next":
                return studio.go(f"/draft/{draft.name}/{_next(ORDER, here)}")
        found = filled(studio, draft, asked)
        draft = found.pop("draft", draft)
        return studio.page(here, **{**_common(draft, here), **found})

    return screen


def _common(draft: Draft, here: str) -> dict[str, Any]:
    first, more = screens([*question_options(), *over_time()])[here]
    return {
        "draft": draft,
        "here": here,
        "fields": first,
        "more": more,
        "texts": {**draft.plan, **draft.data},
        "command": plan_command(draft),
    }


def _none(studio: Studio, draft: Draft, asked: Asked) -> dict[str, Any]:
    python = f"import geomdp as dp\n\nplan = dp.load_plan('{draft.name}.json')"
    return {"python": python, "wrong": None}


def question_screen(studio: Studio, draft: Draft, asked: Asked) -> dict[str, Any]:
    """Show what can be asked: pictures of what each gives, and what the records allow."""
    cards = {"offered": offered(draft), "own": fields_of(draft), "times": over_time()}
    return {**_none(studio, draft, asked), **cards}


def data_screen(studio: Studio, draft: Draft, asked: Asked) -> dict[str, Any]:
    """Show how a file is read; and once asked, what is in it."""
    found: dict[str, Any] = {
        "sources": studio.folder.sources(),
        "kinds": kinds(),
        "reading": list(reading_options()),
        "columns": (),
        "look": None,
        "wrong": None,
        "python": "",
    }
    if asked.said("do") == "covariate":
        found["draft"] = draft = with_covariate(
            draft, asked.said("beside"), asked.said("between")
        ).saved(studio.folder)
    if asked.said("do") in ("look", "covariate") or asked.said("fix"):
        draft = draft.opened().saved(studio.folder)
        found["draft"] = draft
        try:
            found["columns"] = columns_of(studio.folder.root / draft.file, draft)
            found["look"] = look(studio, draft)
        except (GeomdpError, OSError, ValueError) as error:
            found["wrong"] = wrong(error)
    more = screens([*question_options(), *over_time()])["data"][1]
    found["more"], found["others"] = of_records(draft, more)
    words = data_words(draft) if found["wrong"] is None else []
    file = draft.file or "DATA"
    found["check"] = command("geomdp", "check", f"{draft.name}.json", file, *words)
    found["python"] = (
        "import geomdp as dp\nfrom geomdp.io import read_records\n\n"
        f"plan = dp.load_plan('{draft.name}.json')\n"
        f"print(plan.check(read_records({file!r}, plan.statistic).points))"
    )
    return found


def kinds() -> list[tuple[str, str]]:
    """Return how spaces are typed, with what lives in them."""
    from geomdp.spaces.specs import SPACES, space_from_spec

    found = list[tuple[str, str]]()
    for spec in SPACES.examples():
        try:
            found.append((spec, space_from_spec(spec).title))
        except (GeomdpError, TypeError):
            found.append((spec, ""))
    return [*found, ("functions:24", "curves"), ("distributions:40:400", "distributions")]


def columns_of(file: Path, draft: Draft) -> tuple[str, ...]:
    """Return the names of a table's columns, for the curator; none where it has none."""
    if file.suffix == ".parquet":
        from pyarrow import parquet

        return tuple(parquet.read_schema(file).names)
    if file.suffix not in (".csv", ".tsv", ".txt"):
        return ()
    from geomdp.io import Choices
    from geomdp.io.csv_files import open_table

    read = draft.reading
    header = None if read["header"] is None else read["header"] == "yes"
    try:
        return tuple(open_table(file, Choices(decimal=read["decimal"], header=header)).names)
    except GeomdpError:  # what is wrong with it is said where the records are read
        return ()


def look(studio: Studio, draft: Draft) -> dict[str, Any]:
    """Look at the records: as ``geomdp check`` does where the plan is whole, else how they read."""
    given, file = draft.reading, studio.folder.root / studio.folder.there(draft.file)
    began = perf_counter()
    try:
        made = draft.made()
    except GeomdpError:
        return _first_look(draft, file)
    if made.period_names:  # as the first release would read it
        given = given.but(period=made.period_names[0])
    found, notes = looked_at(made, file, given)
    studio.took[draft.file, made.hash] = perf_counter() - began
    drawn = []
    if found.passed:
        loaded, _ = read_data(made, file, choices_of(given, made), given)
        drawn = drawings(made.statistic, loaded, made.reading)
    refused = wrong(GeomdpError(found.refusal)) if found.refusal else None
    concerns = [*found.concerns, *notes]
    return {"facts": found.facts, "concerns": concerns, "refused": refused, "drawn": drawn}


def _first_look(draft: Draft, file: Path) -> dict[str, Any]:
    """Read records of a space about which nothing else was typed, and draw the first ones."""
    from geomdp.io import Choices, read_records
    from geomdp.spaces import Ball
    from geomdp.spaces.specs import space_from_spec
    from geomdp.statistics import FrechetMean

    given, read = draft.given, draft.reading
    if given["space"] is None:
        raise GeomdpError("Say what a record is first: --space.")
    space = space_from_spec(given["space"], given)
    # Which ball does not matter here: nothing is clipped, or judged, by it.
    asked = FrechetMean(Ball(space, space.origin(np.zeros(space.dim)), radius=0.1, wide=True))
    header = read["header"]
    alike = {key: read[key] for key in ("mask", "triangle", "decimal", "layout", "labels")}
    choices = Choices(
        columns=tuple(read["column"] or ()),
        reading=given.reading,
        header=None if header is None else header == "yes",
        **alike,
    )
    loaded = read_records(file, asked, choices)
    facts = [f"{len(loaded.points)} records, each of {loaded.size} numbers"]
    if loaded.names:
        facts.append(f"columns of numbers: {', '.join(loaded.names)}")
    points = np.asarray(loaded.points[:DRAWN])
    bad = given.reading.judge(points) if given.reading is not None else asked.check(points).invalid
    concerns = [f"record {row} (counted from 0): {why}" for row, why in bad.items()]
    drawn = [] if bad else drawings(asked, loaded, given.reading)
    return {"facts": facts, "concerns": concerns, "refused": None, "drawn": drawn}


@own_settings()
def drawings(statistic: "Statistic", loaded: Any, reading: Any) -> list[Any]:
    """Draw the first records, as reports draw points of their space."""
    points: Any = loaded.points[:DRAWN]
    if reading is not None and not loaded.read:
        points = reading.points(np.asarray(points))
    subject, _ = where_records_are_drawn(statistic, reading)

    def drawn() -> Any:
        ball, rows = statistic.public_ball, points
        if ball is not None:
            rows, _ = ball.space.parse(np.asarray(points), instead=ball.center)
        scenes = {f"record{i}": Scene(one, one[None]) for i, one in enumerate(np.asarray(rows))}
        pictures = multiples(subject, scenes, dict.fromkeys(scenes, "A record"))
        return list(pictures.values())

    found = picture_or_words(drawn)
    return found if isinstance(found, list) else [found]


def private_screen(studio: Studio, draft: Draft, asked: Asked) -> dict[str, Any]:
    """Show the forecast of what is typed, with sliders."""
    found = forecast(draft)
    if not (asked.posted or draft.has_ball):
        found["wrong"] = None  # nothing was typed yet that could be wrong
    return {"precedents": PRECEDENTS, "budgets": ("epsilon", "mu", "rho"), **found}


def forecast(draft: Draft) -> dict[str, Any]:
    """Return what a plan promises and gives, or what is missing: from public things alone."""
    try:
        made = draft.made()
    except (GeomdpError, OSError) as error:
        return {"wrong": wrong(error), "plan": None, "python": ""}
    return {"wrong": None, "plan": told(made), "python": plan_python(made, f"{draft.name}.json")}


@own_settings()
def told(plan: "Plan") -> dict[str, Any]:
    """Return a forecast in words and pictures."""
    rows = [
        [row.what, row.expected, row.likely, "" if row.light is None else row.light[1]]
        for row in error_rows(plan)
    ]
    shown = plan.shown
    statistic = plan.public_statistic
    promised = meaning(plan.guarantee.budget, plan.unit)
    rows += [[what, error, "", ""] for what, error in denoised_rows(plan)]
    return {
        "asked": asked_words(plan),
        "brief": f"{rows[0][0]}: {rows[0][1]} of error expected, {plan.guarantee.budget.words()}",
        "errors": Table(["", "expected", "95 of 100 releases", "noise"], rows, "wide stack"),
        "notes": list(error_notes(plan)),
        "warned": warning_words(plan),
        "promise": next(iter(promise_words(plan))),
        "attacker": attacker(plan.guarantee, promised),
        "mechanism": plan.describe_mechanism(),
        "picture": None if shown is None else picture_or_words(lambda: picture_at(shown)),
        "public": lambda: public_pictures(statistic, plan.reading, plan.names),
    }


def live(studio: Studio, asked: Asked) -> Response:
    """Answer a moved slider: nothing is saved."""
    draft = _draft_of(studio, asked)
    return studio.page("forecast", draft=draft, command=plan_command(draft), **forecast(draft))


def finish(studio: Studio, asked: Asked) -> Response:
    """Write the plan's file: from here on it is what is signed, and nothing in it changes."""
    draft = _draft_of(studio, asked).saved(studio.folder)
    target = studio.folder.new(draft.name, PLAN)
    try:
        made = draft.made()
    except (GeomdpError, OSError) as error:
        here = "board"
        return studio.page(here, **_common(draft, here), wrong=wrong(error), python="")
    made.save(studio.folder.root / target)
    return studio.go(f"/plan/{target.name}")


def home(studio: Studio, asked: Asked) -> Response:
    """List what there is, with its state."""
    folder = studio.folder
    left: list[tuple[str, Any]] = []
    for name in folder.ledgers():
        try:
            left += [(name, one) for one in folder.ledger(name).accounts().values()]
        except (GeomdpError, OSError) as error:
            left.append((name, str(error)))
    return studio.page(
        "home",
        plans=folder.plans(),
        drafts=folder.drafts(),
        releases=[(name, studio.verified.get(name)) for name in folder.releases()],
        ledgers=left,
        books=folder.ledgers(),
        running=[job for job in studio.jobs.values() if job.going],
    )


SCREENS: dict[str, Screen] = {
    "/": home,
    "/new": start,
    "/draft/{name}/data": step("data", data_screen),
    "/draft/{name}/question": step("question", question_screen),
    "/draft/{name}/private": step("private", private_screen),
    "/draft/{name}/board": step("board", _none),
    "/draft/{name}/forecast": live,
    "/draft/{name}/finish": finish,
}
