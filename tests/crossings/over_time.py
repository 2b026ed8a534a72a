"""The life of a plan over time, where it is another: one release after another."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError
from geomdp.privacy import total

from . import statements
from .command import run
from .hostile import hostile_record
from .question import PERIODS
from .sources import Source

if TYPE_CHECKING:
    from .life import Life


@dataclass(frozen=True, eq=False)
class OverTime:
    """A life with what is asked of its periods."""

    life: "Life"

    def _how(self, period: int, kept: str = "kept") -> dict[str, Any]:
        size = self.life.question.newcomers(period)
        return {"size": size, "kept": self.life.folder / kept}

    def folder_of(self, period: int) -> Path:
        """Return the folder of a period; the last is the folder of the release."""
        return self.life.out if period == PERIODS else self.life.folder / f"out-{period}"

    def checked(self) -> None:
        """Nothing is wrong with good records, and checking begins nothing."""
        one, data = self.life.plan.at(self.life.records, 1, **self._how(1))
        found = one.check(data)
        assert found.passed, f"would be refused: {found.refusal}"
        if self.life.source.file is not None:
            said = run("check", *self._typed(self.life.source, 1))
            assert said.code == 0, f"by command: {said.last or said.stdout[-200:]}"
        assert not (self.life.folder / "kept").exists(), "a check left something"

    def released(self) -> None:
        """Release every period on a ledger, by the command where there is a file."""
        for period in range(1, PERIODS + 1):
            out = self.folder_of(period)
            if self.life.source.file is not None:
                said = self._by_command(self.life.source, period, out)
                assert said.code == 0, f"refused by command: {said.last}"
                continue
            after = self.folder_of(period - 1) if period > 1 else None
            pay = {"ledger": self.life.ledger, "dataset": "study", "folder": out}
            how = {**self._how(period), **pay}
            self.life.plan.release(self.life.records, period=period, after=after, **how)  # type: ignore[call-arg]

    def _typed(self, source: Source, period: int, kept: str = "kept") -> list[Any]:
        how = self._how(period, kept)
        size = [] if how["size"] is None else ["--size", how["size"]]
        after = ["--after", self.folder_of(period - 1)] if period > 1 else []
        told = ["--period", period, "--kept", how["kept"], *size, *after]
        return [self.life.plan_file, source.file, *source.options, *told]

    def _by_command(self, source: Source, period: int, out: Path, kept: str = "kept") -> Any:
        paid = (*self.life._paid, "--dataset", "study", "--out", out)
        return run("release", *self._typed(source, period, kept), *paid)

    def require_debits(self, spendings: Any) -> None:
        """Ask that the debits of all periods add up to the plan's cost, each published."""
        assert [one.state for one in spendings] == ["published"] * PERIODS
        assert total(one.entry.cost for one in spendings) == self.life.plan.cost

    def refused_or_alone(self) -> None:
        """A hostile record is refused before anything is debited or begun, or counts as public."""
        question = self.life.question
        places = [i for i, period in enumerate(question.data.period or []) if period == 1]
        bad = hostile_record(question.hostile, question.data.raw[places[0]])
        source = self.life._written(question.data.replaced(places[0], bad), "hostile")
        kept, spent = self.life.folder / "other", len(self.life.ledger.history())
        refused = self._refusal(source)
        if refused:
            assert question.policy == "refuse", f"refused under public: {refused}"
            statements.require_sentence(refused)
            if source.file is not None:
                said = self._by_command(source, 1, self.life.folder / "hostile-out", "other")
                assert said.code == 1, "the command took it"
            assert len(self.life.ledger.history()) == spent, "a refusal was debited"
        assert not kept.exists(), "a refusal left something"

    def _refusal(self, source: Source) -> str:
        try:
            one, data = self.life.plan.at(self.life._taken(source), 1, **self._how(1, "other"))
            one.prepare(data)
        except GeomdpError as error:
            return str(error)
        return ""
