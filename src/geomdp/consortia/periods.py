"""One period of running totals of sites that trust nobody: a round, of which a total is opened.

A site sends the weighted sum of its own records of all periods so far, with fresh noise; what was
opened in all periods gives the running mean (docs/theory/consortium.md, section 7).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from geomdp.consortia.keeping import Kept
from geomdp.consortia.messages import Round
from geomdp.consortia.opening import Opened
from geomdp.consortia.period_noise import FINE
from geomdp.consortia.plan import ConsortiumPlan, caveats_of
from geomdp.consortia.round import require_few
from geomdp.consortia.site_noise import NoiseOfSites, linear_of
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import integer_totals, mean_of_totals
from geomdp.plans.kept import Kept as Memory
from geomdp.plans.periods import steps_of, within
from geomdp.privacy.guarantee import Guarantee
from geomdp.runtime.threads import one_blas_thread
from geomdp.serial import Document, parse_json
from geomdp.sources.records import Records, as_records
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.consortia.over_time import ConsortiumOverTime


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConsortiumPeriod(ConsortiumPlan):
    """One period: what sites send, and how the running mean follows from all that was opened.

    Attributes
    ----------
    of
        The plan of all periods.
    before
        What was opened in the periods before, in order.
    """

    shape: ClassVar[str] = "consortium period"

    of: "ConsortiumOverTime"
    before: tuple[Opened, ...] = ()

    @classmethod
    def of_period(cls, of: "ConsortiumOverTime", before: tuple[Opened, ...]) -> Self:
        """Return the plan of the period after these."""
        step = len(before) + 1
        noise = replace(
            of.noise.each,
            scale=of.noise.each.scale * float(of.scheme.lengths[step - 1]),
            cost=of.debit(step),
        )
        mechanism = NoiseOfSites(noise, len(of.sites))
        asked = of.curator(step)
        made = cls(
            mechanism,
            mechanism.fitted(asked, asked.n, caveats_of(of.parties, noise.honest)),
            of.forecast,
            asked=asked,
            parties=of.parties,
            noise=noise,
            step=Round(of.hash, step),
            of=of,
            before=before,
        )
        made = made.saying(law_of_error=mechanism.forecast(made.calibration))
        made.earlier()  # refuses totals that are not of this plan
        return made

    @property
    def whole(self) -> "ConsortiumOverTime":
        """The plan that was approved: of all periods."""
        return self.of

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all releases together."""
        return self.of.guarantee

    @property
    def claim(self) -> Mapping[str, Any]:
        """What a ledger pays for once, whatever was opened before."""
        return {"over_time": self.of.hash, "step": len(self.before) + 1}

    @property
    def bound_roster(self) -> tuple[str, ...]:
        """The sites of the first period, where later ones add to what they sent."""
        return self.before[0].roster if self.before and self.of.changes == "refused" else ()

    def earlier(self) -> list[list[int]]:
        """Return the opened integers of the periods before, signatures and rosters checked."""
        return [
            one.integers(
                self.saying(step=Round(self.of.hash, step), before=self.before[: step - 1])
            )
            for step, one in enumerate(self.before, start=1)
        ]

    # --- what a site does ------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """Public names of the periods so far, this one the last."""
        return self.of.periods[: len(self.before) + 1]

    def entered(self, records: Any) -> list[Records]:
        """Return a site's records of each period; where changes are charged, all anew."""
        data = within(as_records(records), self.of.periods, self.labels)
        if not self.statistic.labelled:
            data = replace(data, group=None)
        where = steps_of(data, self.of.periods, self.labels)
        data = replace(data, period=None)
        if self.of.changes == "charged":
            return [data]
        return [data.rows(where == step) for step in range(len(self.labels))]

    def encoded_here(self, records: Any) -> Encoded:  # noqa: D102
        data = within(as_records(records), self.of.periods, self.labels)
        return super().encoded_here(replace(data, period=None))

    def own_totals(self, records: Any) -> list[int]:
        """Return a site's weighted sums, in integers, and its number of records so far."""
        entered = self.entered(records)
        n = sum(len(one) for one in entered)
        require_few(self, max(n, 1))  # who has none yet answers too: the roster stays
        nothing = [0] * linear_of(self.request).degrees.size
        sums: list[list[Any]] = []
        with one_blas_thread():
            for one in entered:
                rows = self.asked.encoded_here(one) if len(one) else None
                sums.append(nothing if rows is None else integer_totals(self.statistic, rows))
        mixed = self.of.scheme.mixed(sums)
        return [*(int(FINE * mixed[i]) for i in self.noise.counted), n]

    def remember(self, folder: Path, records: Any) -> None:
        """Note digests of the records of each period, once those of earlier ones are unchanged.

        Written before a box is, and again until there is one: nothing has left the house before.
        """
        if self.of.changes == "charged":
            return
        memory = Memory(folder / f"{self.of.hash[:32]}.digests")
        digests = memory.digests(self.entered(records))
        if self.before:
            noted = self._note(folder, len(self.before)).read()
            if noted is None:
                raise GeomdpError(
                    f"Period {self.labels[-2]} was not answered with this key: a site answers "
                    "every period, in order. Bring back the key's folder from its backup."
                )
            before = parse_json(noted)
            changed = [
                label
                for label, old, new in zip(self.labels, before, digests, strict=False)
                if old != new
            ]
            if changed:
                raise GeomdpError(
                    f"Records that entered in {', '.join(changed)} were changed, moved or "
                    "withdrawn since: this plan is for records that stay as they entered. Put "
                    "them back, or plan for changes (--changes charged)."
                )
        memory.keep_key()
        note = self._note(folder, len(self.labels))
        note.file.unlink(missing_ok=True)
        note.keep(json.dumps(digests))

    def _note(self, folder: Path, step: int) -> Kept:
        return Kept(folder, f"{Round(self.of.hash, step).name}.records")

    # --- what follows from what was opened -------------------------------------------------------

    def value_of(self, opened: Opened) -> Array:
        """Return the running mean that follows from the totals of all periods, or refuse these."""
        linear, sums = linear_of(self.request), []
        everything = [*self.earlier(), opened.integers(self)]
        for integers in everything:
            totals: list[Any] = [0] * linear.degrees.size
            for place, total in zip(self.noise.counted, integers[:-1], strict=True):
                totals[place] = total
            sums.append([float(x / FINE) for x in mean_of_totals(linear, totals, 1)])
        n = everything[-1][-1]
        if n < 1:
            raise GeomdpError(
                f"The opened number of records is {n}: a site or an aggregator lied, and no mean "
                "follows; what was shared counts as spent."
            )
        mean = self.of.scheme.totals(np.array(sums))[-1] / n
        return np.asarray(linear.decode(mean))

    def statement(self) -> Document:
        """State the plan of all periods, and what was opened before this one."""
        said = super().statement()
        del said["plan"]
        opened = [one.to_json() for one in self.before]
        return {**said, "over_time": self.of.to_json(), "before": opened}
