"""Releases: what will be spent, the work itself, and that nothing is spent twice.

A release is a job under a word that its form carries: a form that comes again, by a reload or from
a second tab, finds the job instead of starting another. Until the debit it can be cancelled;
whether it was is settled under a lock, so that a cancelled job has neither paid nor drawn.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from starlette.responses import Response

from geomdp.errors import GeomdpError
from geomdp.options import Option
from geomdp.plans import load_plan
from geomdp.plans.release import REPORT
from geomdp.registry import foreign_package
from geomdp.studio.app import Asked, Screen, Studio
from geomdp.studio.drafts import Draft, load_draft, read, reading_options, wrong
from geomdp.studio.folder import DRAFT, NotThereError
from geomdp.studio.same import command, data_words, release_python
from geomdp.typed.options import KEY, OF_PERIOD, data_options
from geomdp.typed.records import at_period, choices_of, further_format, read_data

if TYPE_CHECKING:
    from geomdp.ledger import Ledger
    from geomdp.plans import Plan

#: How the names of threads begin that release.
AT_WORK = "release "
#: How far a job is. From "spending" on nothing can be taken back.
Stage: TypeAlias = Literal["reading", "preparing", "spending", "done", "failed", "cancelled"]


@dataclass(eq=False)
class Job:
    """One release at work, in a thread of its own."""

    name: str
    plan: str
    out: Path
    draft: Draft
    dataset: str = ""
    book: "Ledger | None" = None
    again: bool = False
    #: Of releases over time: which period it is, as the command takes it.
    period: Mapping[str, str] = field(default_factory=dict)
    expected: float | None = None
    stage: Stage = "reading"
    error: str = ""
    notes: list[str] = field(default_factory=list)
    began: float = field(default_factory=monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def going(self) -> bool:
        """Whether it is at work."""
        return self.stage in ("reading", "preparing", "spending")

    @property
    def cancellable(self) -> bool:
        """Whether nothing is paid or drawn yet."""
        return self.stage in ("reading", "preparing")

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds until it draws, by how long looking at the same records took."""
        return None if self.expected is None else max(0.0, self.expected - self.seconds)

    def cancel(self) -> bool:
        """Stop it before it pays; tell whether that was in time."""
        with self._lock:
            if self.cancellable:
                self.stage = "cancelled"
            return self.stage == "cancelled"

    def _reach(self, stage: Stage) -> bool:
        """Go on to a stage, unless it was cancelled."""
        with self._lock:
            if self.stage == "cancelled":
                return False
            self.stage = stage
            return True

    def run(self, root: Path) -> None:
        """Do the work; whatever goes wrong is a sentence for the curator."""
        try:
            self._run(root)
        except GeomdpError as error:
            self._fail(str(error))
        except Exception as error:  # what it says may be of the records
            self._fail(f"It failed ({type(error).__name__}). {self._state(root)}")

    def _fail(self, sentence: str) -> None:
        self.error, self.stage = sentence, "failed"

    def _state(self, root: Path) -> str:
        if (root / self.out).exists():
            return (
                f"The release in {self.out} is complete but for its report: do not release again."
            )
        return "No release was written; the ledger shows whether its budget was debited."

    def _run(self, root: Path) -> None:
        from geomdp.io.causes import naming_the_cause

        made = load_plan(root / self.plan)
        given = read(data_options(), {**self.draft.data, **self.period})
        given = given.but(again=self.again, ledger=self.book)
        choices = choices_of(given, made)
        loaded, records = read_data(made, root / self.draft.file, choices, given)
        made, records = at_period(made, records, given)
        if not self._reach("preparing"):
            return
        with naming_the_cause(loaded, choices, made.statistic):
            prepared = made.prepare(records)
        if self.book is not None:
            prepared = self.book.pay(prepared, made, records, self.dataset, self.again)
        further = further_format(made, loaded, choices, self.notes.append)
        if not self._reach("spending"):
            return
        prepared.draw_into(root / self.out, further, foreign_package(loaded.format))
        self.stage = "done"


def about_to(studio: Studio, asked: Asked) -> Response:
    """Say what a release will spend and what is left of it, before anything is started."""
    return _about_to(studio, asked, None)


def _about_to(studio: Studio, asked: Asked, refused: Exception | None) -> Response:
    name = asked.names["name"]
    plan, draft = studio.folder.plan(name), _draft_for(studio, name)
    books = [(book, one) for book in studio.folder.ledgers() for one in _accounts(studio, book)]
    signed = [one for _, one in studio.folder.signatures() if not one.problem(plan)]
    out = _new_name(studio, draft.name)
    return studio.page(
        "release",
        plan=plan,
        name=name,
        draft=draft,
        cost=_debit(plan),
        promise=plan.guarantee,
        books=books,
        signed=signed,
        sources=studio.folder.sources(),
        reading=list(reading_options()),
        made=_releases(studio, name),
        period_fields=_period_fields(plan, _releases(studio, name)),
        word=_new_word(),
        texts={
            **draft.data,
            **asked.form,
            "out": asked.said("out") or out,
            "paid-by": asked.said("paid-by"),
        },
        wrong=None if refused is None else wrong(refused),
        command=_command(name, draft, asked, bool(plan.period_names), out),
        python=_python(name, draft, asked, out),
    )


def _new_name(studio: Studio, plan: str) -> str:
    """Return a name for a release's folder that nothing has yet."""
    taken, name = set(studio.folder.names()), f"{plan}-release"
    further = (f"{name}-{i}" for i in count(2))
    return name if name not in taken else next(one for one in further if one not in taken)


def _releases(studio: Studio, name: str) -> tuple[str, ...]:
    return next((one.releases for one in studio.folder.plans() if one.file == name), ())


def _debit(plan: "Plan") -> Any:
    """Return what one release debits: of releases over time, the part of a period."""
    return plan.debit(1) if plan.period_names else plan.known_cost


#: What the fields of a period are called here: an option of curves is called --period too.
OF = "over-"


def _period_fields(plan: "Plan", made: tuple[str, ...] = ()) -> list[Option]:
    """Return what a release over time is asked beside, each with a name of its own."""
    if not plan.period_names:
        return []
    named = {one.key: one for one in OF_PERIOD}
    period = replace(named["period"], choices=plan.period_names)
    named["after"] = replace(named["after"], choices=made)
    asked = [period, *(named[key] for key in ("after", "period_column", "size"))]
    return [
        Renamed(**{each.name: getattr(one, each.name) for each in fields(one)}) for one in asked
    ]


class Renamed(Option):
    """An option whose field has a longer name."""

    @property
    def key(self) -> str:
        """Its name among the fields."""
        return f"{OF}{super().key}"


def _period_of(studio: Studio, plan: "Plan", asked: Asked) -> dict[str, str]:
    """Return which period a form names; the folder of the release before lies in the project."""
    typed = {one.key: asked.said(one.key) for one in _period_fields(plan)}
    found = {key.removeprefix(OF): text for key, text in typed.items() if text}
    if "after" in found:
        studio.folder.there(found["after"])
    if plan.period_names and "period" not in found:
        raise GeomdpError("Say which period it is.")
    return found


def _new_word() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(18)


def _accounts(studio: Studio, book: str) -> list[Any]:
    with suppress(GeomdpError, OSError):
        return list(studio.folder.ledger(book).accounts().values())
    return []


def _draft_for(studio: Studio, plan: str) -> Draft:
    """Return what was typed for a plan; of one that came from elsewhere, nothing."""
    name = plan.removesuffix(".json")
    if (studio.folder.root / f"{name}{DRAFT}").is_file():
        return load_draft(studio.folder, name)
    return Draft(name)


def _command(name: str, draft: Draft, asked: Asked, timed: bool, out: str) -> str:
    book, _, dataset = asked.said("paid-by").partition(" ")
    paid = ["--ledger", book, "--dataset", dataset] if dataset else []
    key = f"{Path(book).stem}{_KEY}"
    paid += [KEY.name, key] if dataset and Path(key).is_file() else []
    where = ["--out", asked.said("out") or out]
    which = ["--period", asked.said(f"{OF}period") or "PERIOD"] if timed else []
    words = ["geomdp", "release", name, draft.file or "DATA", *data_words(draft), *which]
    words += [*paid, *where]
    return command(*words)


_KEY = ".key"


def _python(name: str, draft: Draft, asked: Asked, out: str) -> str:
    book, _, dataset = asked.said("paid-by").partition(" ")
    out = asked.said("out") or out
    return release_python(name, draft.file or "DATA", out, book if dataset else "", dataset)


def release(studio: Studio, asked: Asked) -> Response:
    """Start a release, once; the same form again leads to the same job."""
    if not asked.posted:
        return about_to(studio, asked)
    word = asked.said("word")
    with studio.lock:
        if word in studio.words:
            return studio.go(f"/job/{studio.words[word].name}")
        try:
            job = _job(studio, asked)
        except (GeomdpError, OSError) as error:
            return _about_to(studio, asked, error)
        studio.words[word] = studio.jobs[job.name] = job
    threading.Thread(
        target=job.run, args=(studio.folder.root,), name=f"{AT_WORK}{job.name}", daemon=False
    ).start()
    return studio.go(f"/job/{job.name}")


def _job(studio: Studio, asked: Asked) -> Job:
    """Settle what a release needs, while nothing is read."""
    name, folder = asked.names["name"], studio.folder
    plan, out = folder.plan(name), folder.new(asked.said("out"))
    draft = _draft_for(studio, name).with_texts(asked.form).require_inside(folder)
    if not asked.said("word"):
        raise GeomdpError("This form is not whole; open the page again.")
    if not draft.file:
        raise GeomdpError("Choose where the records are.")
    busy = [job for job in studio.jobs.values() if job.going]
    if any(job.out == out or job.plan == name for job in busy):
        raise GeomdpError("A release of this plan is at work already; wait for it, or cancel it.")
    book, _, dataset = asked.said("paid-by").partition(" ")
    again = asked.said("again") == "yes"
    if not (dataset or again or plan.period_names):  # a period is released once, as is remembered
        _require_first(studio, name)
    ledger = folder.ledger(book) if dataset else None
    if ledger is not None:  # said now, and settled again at the debit
        ledger.account(dataset).require(_debit(plan) if plan.period_names else plan.cost)
    expected = studio.took.get((draft.file, plan.hash))
    return Job(
        name=out.name,
        plan=name,
        out=out,
        draft=draft,
        dataset=dataset,
        book=ledger,
        again=again,
        period=_period_of(studio, plan, asked),
        expected=expected,
    )


def _require_first(studio: Studio, name: str) -> None:
    """Refuse a second release that no ledger would count."""
    if made := _releases(studio, name):
        raise GeomdpError(
            f"This plan was released already, in {', '.join(made)}: a second release "
            "spends its budget again, and no ledger counts it. Tick 'release again' if that is "
            "meant."
        )


def work(studio: Studio, asked: Asked) -> Response:
    """Show a job, and cancel it where that is asked in time."""
    job = studio.jobs.get(asked.names["name"])
    if job is None:
        raise NotThereError(
            "There is no such release at work. If the studio was stopped meanwhile, its folder "
            "says what was written, and the ledger what was debited: open debits are listed there."
        )
    late = False
    if asked.said("do") == "cancel":
        late = not job.cancel()
        if not late:
            return studio.go(f"/job/{job.name}")
    report = (studio.folder.root / job.out / REPORT).is_file()
    return studio.page("job", job=job, late=late, report=report, account=_account(job))


def _account(job: Job) -> Any:
    if job.book is None or job.going:
        return None
    with suppress(GeomdpError, OSError):
        return job.book.account(job.dataset)
    return None


SCREENS: dict[str, Screen] = {"/plan/{name}/release": release, "/job/{name}": work}
