"""The whole life of a case: plan, save, load, show, check, release, verify, read back, report.

Each step asks what it can and notes what is wrong; later steps that need an earlier one are left
out where that failed. A refusal while planning, in a sentence, is an answer and no trouble.
"""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import geomdp as dp
from geomdp.consortia import add, answer, make_identity, open_release, read_totals
from geomdp.errors import AlreadyReleasedError, GeomdpError
from geomdp.plans.pooling import is_pooled
from geomdp.plans.release import as_one_array
from geomdp.releases.verification import verify
from geomdp.report import plan_html
from geomdp.report.plan_page import plan_text
from geomdp.sources.records import as_records

from . import answers, statements
from .command import plan_arguments, run
from .covering import Case
from .hostile import NEVER_A_RECORD, hostile_record
from .over_time import OverTime
from .question import Question
from .rows import beyond_limit, prepared_rows
from .sources import SOURCES, Source
from .table import is_curves, line_of

#: What a ledger grants, in units of the largest budget: several releases.
GRANT = 400


def in_order() -> Any:
    """Let a draw of halves take the first places, so that rows can be compared."""

    def first(n: int, entropy: Any) -> Any:
        return np.arange(n) < n // 2

    return patch("geomdp.plans.normative_stages.drawn_half", first)


@dataclass
class Outcome:
    """What became of a case."""

    case: Case
    refused: str = ""
    troubles: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def signatures(self) -> list[str]:
        """The troubles without what differs between cases: numbers, paths, quoted words."""
        return [_signature(trouble) for trouble in self.troubles]


def _signature(text: str) -> str:
    """Return a sentence without its numbers.

    >>> _signature("release: InvalidRecordError: Record 7: it has 3.5 of them.")
    'release: InvalidRecordError: Record #: it has # of them.'
    """
    plain = re.sub(r"/tmp/\S+", "PATH", text)
    return re.sub(r"-?\d[\d.e+-]*", "#", plain)[:160]


def live(case: Case, folder: Path, pictures: bool = False) -> Outcome:
    """Live a case in an empty folder; pictures are composed, but drawn only if so asked."""
    begin, outcome = time.perf_counter(), Outcome(case)
    with nullcontext() if pictures else _blank():
        _live(Life(Question(case), folder), outcome)
    outcome.seconds = time.perf_counter() - begin
    return outcome


@contextmanager
def _blank() -> Iterator[None]:
    """Write empty pictures: words are asked here, and drawing takes most of a page's time."""

    def empty(canvas: Any, file: Any, **how: Any) -> None:
        file.write('<svg viewBox="0 0 1 1"></svg>')

    with (
        patch("matplotlib.backends.backend_svg.FigureCanvasSVG.print_svg", empty),
        patch("matplotlib.figure.Figure.savefig", lambda figure, file, **how: file.write(b"")),
    ):
        yield


def _live(life: "Life", outcome: Outcome) -> None:
    try:
        life.plan  # noqa: B018
    except GeomdpError as error:
        outcome.refused = str(error)
        _note(outcome, "plan", lambda: statements.require_sentence(outcome.refused))
        _note(outcome, "refused by command too", life.refused_by_command)
    except Exception as error:
        outcome.troubles.append(f"plan: {type(error).__name__}: {error}")
    else:
        for name, step in life.steps():
            if not _note(outcome, name, step) and name == "release":
                life.released = False


def _note(outcome: Outcome, name: str, step: Callable[[], None]) -> bool:
    """Take a step, and note what it finds."""
    try:
        step()
    except AssertionError as error:
        outcome.troubles.append(f"{name}: {error}")
    except Exception as error:
        outcome.troubles.append(f"{name}: {type(error).__name__}: {error}")
    else:
        return True
    return False


@dataclass(eq=False)
class Life:
    """A question with everything that was made of it so far."""

    question: Question
    folder: Path
    released: bool = True

    def steps(self) -> list[tuple[str, Callable[[], None]]]:
        """Return the steps by name, in the order of a life."""
        always = [
            ("plan by command", self.planned_by_command),
            ("save and load", self.saved_and_loaded),
            ("show and page", self.shown),
            ("proof", lambda: statements.require_proofs(self.plan)),
            ("check", self.checked),
            ("release", self.release_it),
        ]
        after = [
            ("verify", self.verified),
            ("forged", self.forged),
            ("read back", self.read_back),
            ("report", self.reported),
            ("ledger", self.entered),
            ("fingerprint", self.recognised),
        ]
        last = [
            ("rows", self.rows_are_their_own),
            ("draws", self.draws_are_forecast),
            ("hostile", self.hostile_record_stays_alone),
            ("consortium", self.opened_by_sites),
        ]
        if self.plan.period_names:
            always[-2:] = [("check", self.periods.checked), ("release", self.periods.released)]
            after[-1:], last = [], [("hostile", self.periods.refused_or_alone)]
        return [*always, *((name, self._if_released(step)) for name, step in after), *last]

    @cached_property
    def periods(self) -> OverTime:
        """The life of a plan over time, where it is another."""
        return OverTime(self)

    def _if_released(self, step: Callable[[], None]) -> Callable[[], None]:
        return lambda: step() if self.released else None

    # --- what is made once ----------------------------------------------------------------------

    @cached_property
    def plan(self) -> dp.Plan:
        """The plan, made in Python."""
        return self.question.plan()

    @property
    def plan_file(self) -> Path:
        """Where the plan is saved."""
        return self.folder / "plan.json"

    @cached_property
    def source(self) -> Source:
        """The records."""
        return self._written(self.question.data, "good")

    def _written(self, data: Any, name: str) -> Source:
        (self.folder / name).mkdir()
        return SOURCES[self.question.source](data, self.folder / name)

    @cached_property
    def records(self) -> Any:
        """The records as a plan takes them."""
        return self._taken(self.source)

    def _taken(self, source: Source) -> Any:
        found = source.read(self.plan)
        if self.plan.statistic.needs_n:
            return found
        # A summary takes the one point that the source holds; landmarks may come as pairs.
        point, public = np.asarray(_points(found)), self.plan.statistic.public_record
        pairs = point.size // public.size
        return point.reshape(*public.shape, *([pairs] if pairs > 1 else []))

    @cached_property
    def array(self) -> Any:
        """The same records as arrays that lie in memory: what every source must agree with."""
        plain = "list" if self.question.space.startswith("curves") else "array"
        return self._taken(SOURCES[plain](self.question.data, self.folder))

    @cached_property
    def ledger(self) -> dp.Ledger:
        """A ledger with budget enough."""
        made = dp.Ledger.create(self.folder / "study.db", self.folder / "study.key")
        made.grant("study", self.question.budget_of(GRANT))
        return made

    @property
    def out(self) -> Path:
        """The folder of the release."""
        return self.folder / "out"

    # --- the steps ------------------------------------------------------------------------------

    def opened_by_sites(self) -> None:
        """Sites that trust nobody release the same, stage by stage, and it verifies."""
        if self.question.sites == "none":
            return
        names, hubs = ("one", "two", "three"), ("hub", "uni")
        keys = {name: make_identity(self.folder / name) for name in (*names, *hubs)}
        try:
            made: Any = dp.consortium(
                self.plan,
                sites={name: keys[name].public for name in names},
                aggregators={name: keys[name].public for name in hubs},
                colluding=1,
                roster=3,
            )
        except GeomdpError:
            linear = self.plan.statistic.as_linear() is not None
            if linear and not self.plan.part_labels:
                raise
            return
        made.save(self.folder / "consortium.json")
        made, earlier = dp.load_plan(self.folder / "consortium.json"), []
        for label in made.part_labels or ("",):
            earlier.append(self._opened(made, earlier, keys, hubs))
            out = self.folder / f"opened{len(earlier)}"
            whole = made.finished(earlier[:-1], earlier[-1])
            whole.save(out)
            approved = self.folder / "consortium.json" if whole.parts else None
            problems = verify(out, approved).problems
            assert not problems, f"{label}: {problems[0]}"
        plan_text(made)

    def _opened(self, made: Any, earlier: list[Any], keys: Any, hubs: tuple[str, ...]) -> Any:
        """Open one stage: the first site answers by the command, where there is a file."""
        stage, boxes, totals, expected = made.following(earlier), [], [], 0
        before = [self.folder / f"opened{number}" for number in range(1, len(earlier) + 1)]
        for name, part in zip(("one", "two", "three"), self._sites(), strict=True):
            boxes.append(self.folder / f"{name}-{len(earlier)}.box")
            data = as_records(part)
            if name == "one" and self.source.file is not None:
                data = as_records(self.records)
                key = ("--key", keys[name].file, "--out", boxes[-1])
                options = (*self.source.options, *(w for f in before for w in ("--earlier", f)))
                asked = (self.folder / "consortium.json", self.source.file)
                said = run("consortium", "answer", *asked, *key, *options)
                assert said.code == 0, f"a site by command: {said.last}"
            else:
                boxes[-1].write_text(answer(stage, part, keys[name]))
            expected += len(np.unique(data.person)) if is_pooled(self.plan.unit) else len(data)
        for name in hubs:
            totals.append(self.folder / f"{name}-{len(earlier)}.total")
            totals[-1].write_text(add(stage, boxes, keys[name]))
        release = open_release(stage, read_totals(stage, totals))
        assert release.plan.n == expected, f"{release.plan.n} were opened, there are {expected}"
        return release

    def _sites(self) -> list[dp.Records]:
        """Split the records; all of a person's are at one site."""
        data = as_records(self.records)
        owners = np.arange(len(data)) if data.person is None else data.person
        people = np.unique(owners)
        return [data.rows(np.flatnonzero(np.isin(owners, people[i::3]))) for i in range(3)]

    def planned_by_command(self) -> None:
        """The command plans the same, to the last digit."""
        options = plan_arguments(self.question)
        if options is None:
            return
        said = run("plan", *options, "--out", self.folder / "typed.json")
        assert said.code == 0, f"refused: {said.last}"
        typed = dp.load_plan(self.folder / "typed.json")
        different = statements.differences(self.plan.to_json(), typed.to_json())
        assert not different, f"another plan than in Python: {different}"

    def refused_by_command(self) -> None:
        """What Python refuses to plan, the command refuses too."""
        options = plan_arguments(self.question)
        if options is None:
            return
        said = run("plan", *options)
        assert said.code in (1, 2), "planned by the command"

    def saved_and_loaded(self) -> None:
        """A plan file says what the plan said."""
        self.plan.save(self.plan_file)
        loaded = dp.load_plan(self.plan_file)
        assert loaded.hash == self.plan.hash, "another hash"
        new = set(str(loaded).splitlines()) - set(str(self.plan).splitlines())
        assert not new, f"it prints otherwise: {min(new)}"
        different = statements.differences(self.plan.to_json(), loaded.to_json())
        assert not different, f"another document: {different}"

    @cached_property
    def told(self) -> dict[str, str]:
        """What is said before anything is spent, by where."""
        page = plan_html(self.plan, [self.question.promise])
        return {"print": str(self.plan), "show": plan_text(self.plan), "page": page}

    def shown(self) -> None:
        """All that is shown states promise, number, unit and warnings."""
        if self.source.file is not None:
            said = run("show", self.plan_file)
            assert said.code == 0, f"refused: {said.last}"
            assert said.stdout.strip() == self.told["show"].strip(), "the command shows otherwise"
        statements.require_alike(self.plan, self.told)

    def checked(self) -> None:
        """Nothing is wrong with good records."""
        found = self.plan.check(self.records)
        assert found.passed, f"would be refused: {found.refusal}"
        invalid = [text for text in found.concerns if "is invalid" in text]
        assert not invalid, f"a good record: {invalid[0]}"
        if self.source.file is not None:
            said = run("check", self.plan_file, self.source.file, *self.source.options)
            assert said.code == 0, f"by command: {said.last or said.stdout[-200:]}"

    def release_it(self) -> None:
        """Release on a ledger, by the command where there is a file."""
        if self.source.file is None:
            self.plan.release(self.records, folder=self.out, ledger=self.ledger, dataset="study")
            return
        said = self._release_by_command(self.source, self.out)
        assert said.code == 0, f"refused by command: {said.last}"
        promise = str(self.plan.guarantee)
        assert promise in said.stdout, "the command states another promise"

    def _release_by_command(self, source: Source, out: Path) -> Any:
        options = (*source.options, *self._paid, "--dataset", "study", "--out", out)
        return run("release", self.plan_file, source.file, *options)

    @property
    def _paid(self) -> tuple[Any, ...]:
        return ("--ledger", self.ledger.where, "--key", self.folder / "study.key")

    def verified(self) -> None:
        """Everything follows, it used the plan, and was paid for."""
        if self.source.file is None:
            verdict = verify(self.out, self.plan_file, self.ledger)
            assert verdict.verified, "; ".join(map(str, verdict.problems))
            assert (verdict.approval, verdict.payment) == ("yes", "yes"), str(verdict.answers)
            return
        said = run("verify", self.out, "--plan", self.plan_file, *self._paid)
        assert said.code == 0, f"by command: {said.stderr}"
        for told in ("It used the approved plan.", "It was paid for."):
            assert told in said.stdout, f"by command: {told} is not said"

    def forged(self) -> None:
        """A folder that lacks a file, or holds another value, is not verified."""
        if self.question.amount == "large":
            return  # half of the cases tell enough
        copy = Path(shutil.copytree(self.out, self.folder / "forged"))
        first = min(copy.rglob("value.npy"))
        others = [file for file in first.parent.glob("value.*") if file != first]
        if others:  # the value in the format of the data
            others[0].unlink()
        else:
            np.save(first, np.load(first)[::-1] + 1.0)
        assert not verify(copy).verified, "a folder that was changed is verified"
        for place in sorted(self.out.rglob("denoised.npy"))[:1]:
            other = Path(shutil.copytree(self.out, self.folder / "denoised otherwise"))
            moved = other / place.relative_to(self.out)
            np.save(moved, np.load(moved) + 1.0)
            assert not verify(other).verified, "a denoised value that was changed is verified"

    @cached_property
    def release(self) -> dp.Release:
        """The release, read from its folder."""
        return dp.load_release(self.out)

    def read_back(self) -> None:
        """What is read is what was written, and of the same plan."""
        assert self.release.plan.whole.hash == self.plan.hash, "of another plan"
        statements.require_same_promise(self.plan, self.release)
        for _, value in answers.leaves(self.release):
            assert np.all(np.isfinite(value)), "a value that is no number"
        for file in self.out.rglob("denoised.npy"):
            inside = dp.load_release(file.parent)
            held, follows = np.load(file), as_one_array(inside.denoised)
            assert np.array_equal(held, follows), "the file holds another denoised value"
            assert np.all(np.isfinite(held)), "a denoised value that is no number"

    def reported(self) -> None:
        """The report states what the plan said."""
        report = (self.out / "report.html").read_text(encoding="utf-8")
        statements.require_alike(self.plan, {"report": report})
        for file in self.out.rglob("report.html"):
            statements.require_whole(file, little_noise=self.question.amount == "large")

    def entered(self) -> None:
        """The ledger holds one debit, with cost, unit and plan, and it is published."""
        spendings = self.ledger.account("study").spendings
        if self.plan.period_names:
            self.periods.require_debits(spendings)
        else:
            statements.require_entry(self.plan, spendings)
        assert not self.ledger.problems(), str(self.ledger.problems())

    def recognised(self) -> None:
        """The same numbers are known again from every source; others are not."""
        pay = {"ledger": self.ledger, "dataset": "study"}
        loaded = dp.load_plan(self.plan_file)
        try:
            loaded.release(self.array, **pay)
        except AlreadyReleasedError:
            pass
        else:
            raise AssertionError("the same records in an array pass for others")
        if self.plan.statistic.needs_n:
            other = self.question.data.replaced(0, self.question.data.raw[1])
            loaded.release(SOURCES["list"](other, self.folder).records, **pay)

    @in_order()
    def rows_are_their_own(self) -> None:
        """Each record becomes what it becomes alone, bit for bit, and there are n."""
        if self.plan.statistic.needs_n:
            answers.require_rows(self.question, self.plan, self.plan.prepare(self.records))

    def draws_are_forecast(self) -> None:
        """Draws lie where the forecast says."""
        answers.require_forecast(self.question, self.plan, self.plan.prepare(self.array))

    @in_order()
    def hostile_record_stays_alone(self) -> None:
        """A hostile record changes no other row, or is refused before anything is debited."""
        question = self.question
        if not self.plan.statistic.needs_n:
            return
        place = self._place()
        bad = hostile_record(question.hostile, question.data.raw[place])
        source = self._written(question.data.replaced(place, bad), "hostile")
        spent = len(self.ledger.history())
        never = question.hostile in NEVER_A_RECORD and not is_curves(question.space)
        prepared = self._prepared(source)
        if isinstance(prepared, str):
            assert question.policy == "refuse", f"refused under public: {prepared}"
            statements.require_sentence(prepared)
            self._refused_alike(source)
            assert len(self.ledger.history()) == spent, "a refusal was debited"
            return
        assert not (never and question.policy == "refuse"), "taken though it is no record"
        good = prepared_rows(self.plan.prepare(self.array))
        answers.require_bystanders(good, prepared_rows(prepared), question, place)
        if source.file is not None:
            said = self._release_by_command(source, self.folder / "hostile-out")
            assert said.code == 0, f"refused by command: {said.last}"

    def _place(self) -> int:
        """Return the place of some record that counts."""
        question, data = self.question, self.question.data
        skipped = beyond_limit(data) if "limit" in question.unit else set()
        return int(question.rng.choice([i for i in range(len(data.raw)) if i not in skipped]))

    def _prepared(self, source: Source) -> Any:
        """Prepare a release of a source, or return the sentence in which it is refused."""
        try:
            return self.plan.prepare(self._taken(source))
        except GeomdpError as error:
            return str(error)

    def _refused_alike(self, source: Source) -> None:
        """The command refuses the same file, in one sentence, and writes nothing."""
        if source.file is None:
            return
        said = self._release_by_command(source, self.folder / "hostile-out")
        assert said.code == 1, f"the command took it: {said.stdout[:80]}"
        assert len(said.stderr.strip().splitlines()) == 1, f"not one sentence: {said.stderr}"
        assert not (self.folder / "hostile-out").exists(), "a refusal left a folder"
        checked = run("check", self.plan_file, source.file, *source.options)
        assert checked.code == 1, "check says fine where a release is refused"


def _points(records: Any) -> Any:
    return records.points if isinstance(records, dp.Records) else records


def describe(outcome: Outcome) -> str:
    """Return what failed with the case in one line."""
    return "\n".join([line_of(outcome.case), *(f"  {text}" for text in outcome.troubles)])
