"""The release of one period: what entered is added up, noise is drawn, and a mean is read off.

Proofs: docs/theory/over-time.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.mechanisms.gaussian_noise import draw_around
from geomdp.mechanisms.running_totals import RUNNING_TOTALS
from geomdp.noise.entropy import SystemEntropy
from geomdp.plans.base import PLAN_FORMAT, first_manifest
from geomdp.plans.kept import Kept
from geomdp.plans.pooling import is_pooled, require_persons, uncounted_rows
from geomdp.plans.release import Prepared, Release, room_for
from geomdp.plans.single import SinglePlan, public_ball_of
from geomdp.privacy.guarantee import Guarantee
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document, array_digest, array_from_json, array_to_json, is_array
from geomdp.sources.records import Records, as_records
from geomdp.spaces.ball import Ball, project_into
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.plans.over_time import OverTimePlan

#: A value may differ from what follows by so much of its largest number, as machines round.
NEARLY = 1e-7


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PeriodPlan(SinglePlan):
    """The release of one period: the running mean, read off what all periods so far published.

    Attributes
    ----------
    of
        The plan of all periods.
    steps
        The periods released so far, this one the last.
    counts
        Public number of records, or persons, after each of them.
    origin
        Fingerprint of the release before.
    before
        What was published before, as a document.
    kept
        The curator's private memory; none in a plan that was read from a release.
    again
        Whether the step is drawn and paid for once more.
    """

    shape: ClassVar[str] = "period"

    of: "OverTimePlan"
    steps: tuple[str, ...]
    counts: tuple[int, ...]
    origin: str = ""
    before: Document | None = field(default=None, repr=False)
    kept: Kept | None = field(default=None, repr=False)
    again: bool = False

    def __post_init__(self) -> None:
        places = [self.of.periods.index(label) for label in self.steps]
        grows = self.of.changes == "charged" or list(self.counts) == sorted(self.counts)
        if sorted(set(places)) != places or len(self.counts) != len(places) or not grows:
            raise GeomdpError("The periods of a release come in order, and its records stay.")
        if bool(self.origin) is not (len(self.steps) > 1):
            raise GeomdpError("Every release but the first continues another.")

    @property
    def guarantee(self) -> Guarantee:
        """The promise of all releases together."""
        return self.of.guarantee

    @property
    def whole(self) -> "OverTimePlan":  # noqa: D102
        return self.of

    @property
    def released_periods(self) -> tuple[str, ...]:  # noqa: D102
        return self.steps

    @property
    def claim(self) -> Mapping[str, Any]:
        """What a ledger pays for once, whatever the records are."""
        return {"over_time": self.of.hash, "step": len(self.steps)}

    def statement(self) -> Document:
        """State the plan of all periods, and where this release stands in it."""
        alone = super().statement()["derived"]
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "budget": self.request.budget.to_json(),
            "over_time": self.of.to_json(),
            "steps": list(self.steps),
            "counts": list(self.counts),
            "origin": self.origin,
            "again": self.again,
            "derived": alone,
        }

    def release(self, records: Any, **how: Any) -> Release:
        """Release the period: see ``OverTimePlan.release``, which makes this plan."""
        if self.again and how.get("ledger") is None:
            raise GeomdpError("A second draw of a step needs a ledger that pays for it.")
        return super().release(records, **how)

    # --- what is drawn ---------------------------------------------------------------------------

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:
        """Add up what entered in each step, exactly, and see that no earlier record changed."""
        data = within(as_records(records), self.of.periods, self.steps)
        if data.group is not None and not self.statistic.labelled:
            raise GeomdpError("Releases over time have no groups; classes may have labels.")
        entered = self._entered(data)
        given = self._uncounted(entered)
        sums = [
            self._sum(one, n, skipped)
            for one, n, skipped in zip(entered, self._sizes(), given, strict=True)
        ]
        digests = self._kept_digests(entered)
        ball = public_ball_of(self.statistic) if project else None
        manifest = first_manifest(self, project)
        return _Prepared(self, self.of.scheme.mixed(sums), manifest, ball, digests)

    def _entered(self, data: Records) -> list[Records]:
        """Return the records of each step; where changes are charged, all are taken anew."""
        if self.of.changes == "charged":
            return [data]
        where = steps_of(data, self.of.periods, self.steps)
        if is_pooled(self.unit):
            _require_once(require_persons(data), where)
        return [data.rows(where == step) for step in range(len(self.steps))]

    def _sizes(self) -> list[int]:
        if self.of.changes == "charged":
            return [self.counts[-1]]
        return np.diff(self.counts, prepend=0).tolist()

    def _uncounted(self, entered: list[Records]) -> list[NDArray[np.intp]]:
        """Return which rows of each step are beyond a person's maximum, OF ALL STEPS TOGETHER."""
        if is_pooled(self.unit):
            return [np.empty(0, dtype=np.intp)] * len(entered)
        persons = [one.person for one in entered]
        together = None if persons[0] is None else np.concatenate(persons)
        lengths = [len(one) for one in entered]
        skipped = np.zeros(sum(lengths), dtype=bool)
        skipped[uncounted_rows(self.unit, Records(np.empty(sum(lengths)), person=together))] = True
        parts = np.split(skipped, np.cumsum(lengths)[:-1])
        return [np.flatnonzero(part) for part in parts]

    def _sum(self, data: Records, n: int, skipped: NDArray[np.intp]) -> list[Any]:
        """Return the exact sum of the records of one step; of none it is 0."""
        try:
            encoded = self.encoded_of(data, n, skipped) if n else None
        except InvalidRecordError as error:  # rows are counted among those of the step
            raise InvalidRecordError(f"Of the records that entered together: {error}") from error
        return RUNNING_TOTALS.sums(self.request, encoded)

    def _kept_digests(self, entered: list[Records]) -> list[str] | None:
        if self.kept is None:
            raise GeomdpError("A plan that was read from a release draws nothing: use its plan.")
        digests = self.kept.digests(entered)
        self.kept.require_new(len(self.steps), self.again)
        if self.of.changes == "charged":
            return None
        if self.before is not None:
            noted = array_digest(array_from_json(self.before))
            self.kept.require_unchanged(len(self.steps) - 1, noted, digests)
        return digests

    # --- what follows from what was published ----------------------------------------------------

    def course(self, published: Array) -> tuple[Array, Array]:
        """Return coordinates (t, D) of the running means, and deviations (t,) of their noise."""
        counts = np.array(self.counts, dtype=float)
        scheme, steps = self.of.scheme, len(self.counts)
        noise = RUNNING_TOTALS.noise(self.request, scheme) * scheme.lengths[:steps]
        return scheme.totals(published) / counts[:, None], noise / counts

    def value_of(self, published: Array, ball: Ball | None = None) -> Array:
        """Return the value that belongs to what was published so far: nothing is drawn."""
        means, _ = self.course(published)
        value = np.asarray(RUNNING_TOTALS.view(self.request).linear.decode(means[-1:])[0])
        return value if ball is None else project_into(ball, value)

    def problems(self, release: Release) -> Iterator[tuple[str, str]]:
        """Say where a release is not what its published sums make of it."""
        stated: Any = release.manifest.get("published")
        if not is_array(stated):
            yield "published", "it is missing"
            return
        published = array_from_json(stated)
        linear = RUNNING_TOTALS.view(self.request).linear
        _, grid = RUNNING_TOTALS.steps_of(self.request, self.of.scheme)
        if published.shape != (len(self.steps), linear.degrees.size) or published.dtype != float:
            yield "published", f"its shape {published.shape} is not that of this period"
            return
        if not np.array_equal(np.rint(published / grid) * grid, published):
            yield "published", "it does not lie on the stated lattice"
            return
        ball = self.statistic.public_ball if release.manifest["projected"] else None
        follows, value = self.value_of(published, ball), np.asarray(release.value)
        room = NEARLY * float(np.max(np.abs(follows), initial=0.0))
        if follows.shape != value.shape or not np.all(np.abs(follows - value) <= room):
            yield "value", "it does not follow from what was published"

    def continued(self, release: Release, earlier: Release) -> list[tuple[str, str]]:
        """Say where a release does not continue the one whose fingerprint it names."""
        before, own = earlier.manifest.get("published"), release.manifest.get("published")
        if not is_array(before) or earlier.plan.whole.hash != self.of.hash:
            return [("plan.origin", "the release before is of another plan")]
        so_far = earlier.plan.released_periods, earlier.plan.counts  # type: ignore[attr-defined]
        if so_far != (self.steps[:-1], self.counts[:-1]):
            return [("plan.steps", "they do not continue those of the release before")]
        if not np.array_equal(array_from_json(own or {})[:-1], array_from_json(before or {})):
            return [("published", "it is not what the release before published")]
        return []


@dataclass(frozen=True, eq=False)
class _Prepared(Prepared):
    """Exact sums, of which only the noise is missing."""

    plan: PeriodPlan
    sums: list[Any]
    manifest: Document
    ball: Ball | None
    digests: list[str] | None

    @undisturbed()
    def draw(self) -> Release:
        """Note that the step is begun, draw its noise, and read off the running mean."""
        made, kept = self.plan, cast(Kept, self.plan.kept)
        spreads, _ = RUNNING_TOTALS.steps_of(made.request, made.of.scheme)
        before = np.empty((0, spreads.size))
        if made.before is not None:
            before = array_from_json(made.before)
        begun = kept.begin(len(made.steps), self.digests, made.again)  # may refuse; then no noise
        drawn = draw_around(self.sums, spreads, SystemEntropy(), 1)
        published = np.concatenate([before, drawn])
        kept.finish(begun, array_digest(published))
        value = made.value_of(published, self.ball)
        stated = {"published": array_to_json(published), "value": array_to_json(value)}
        return Release(made, value, {**self.manifest, **stated})

    @property
    def room(self) -> int:
        return room_for(self.manifest) + 64 * len(self.plan.steps) * len(self.sums)


class Course(NamedTuple):
    """The statistic after each period so far, made again from what was published.

    Attributes
    ----------
    periods, counts
        Public names, and how many records or persons there were after each.
    values
        The released value (t, *shape) of each period.
    means, deviations
        Coordinates (t, D) of the running means, and the standard deviation (t, D) of their noise.
    """

    periods: tuple[str, ...]
    counts: tuple[int, ...]
    values: Array
    means: Array
    deviations: Array


def course_of(release: Release) -> Course:
    """Return the course of a release over time up to its period: post-processing, and free."""
    made: Any = release.plan
    if not made.released_periods:
        raise GeomdpError("Only a release over time has a course.")
    means, noise = made.course(array_from_json(release.manifest["published"]))
    linear = RUNNING_TOTALS.view(made.request).linear
    deviations = noise[:, None] * np.asarray(linear.noise_profile)
    values = np.asarray(linear.decode(means))
    return Course(made.steps, made.counts, values, means, deviations)


# --- Periods: a public column, which says in which step a record entered.


def steps_of(data: Records, periods: tuple[str, ...], steps: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the step (from 0) that each record enters in; as many as there are for later ones.

    A period that was left out enters with the next that was released.
    """
    if data.period is None:
        raise GeomdpError(
            "The plan is for releases over time; say in which period each record entered "
            "(Records(points, period=...), --period-column)."
        )
    unknown = set(data.period.tolist()) - set(periods)
    if unknown:
        raise InvalidRecordError(
            f"The period {min(unknown)!r} is not in the plan, whose periods are "
            f"{', '.join(periods)}."
        )
    ends = [periods.index(label) for label in steps]
    entered = {label: int(np.searchsorted(ends, place)) for place, label in enumerate(periods)}
    return np.array([entered[label] for label in data.period.tolist()], dtype=np.intp)


def within(data: Records, periods: tuple[str, ...], steps: tuple[str, ...]) -> Records:
    """Return the records that have entered by the last of the steps."""
    there = steps_of(data, periods, steps) < len(steps)
    return data if bool(np.all(there)) else data.rows(there)


def _require_once(persons: NDArray[np.str_], where: NDArray[np.intp]) -> None:
    """Refuse a person whose records enter in several steps: one change would show in all."""
    _, owner = np.unique(persons, return_inverse=True)
    first = np.full(owner.max(initial=-1) + 1, where.max(initial=0) + 1)
    np.minimum.at(first, owner, where)
    if np.any(first[owner] != where):
        raise InvalidRecordError(
            "Someone has records in several periods; all records of a person belong into one, "
            "unless the plan charges them: a maximum of records a person "
            "(Unit.person(max_records=...)), or changes='charged'."
        )


def sizes_of(
    data: Records, steps: tuple[str, ...], before: tuple[int, ...], size: int | None, plan: Any
) -> tuple[int, ...]:
    """Return the public counts after each step, and refuse those that contradict the records."""
    where = steps_of(data, plan.periods, steps)
    found = np.cumsum(np.bincount(where, minlength=len(steps))).tolist()
    pooled, charged = is_pooled(plan.unit), plan.changes == "charged"
    if pooled and size is None:
        raise GeomdpError(
            "Say how many persons entered since the release before (size=..., --size): their "
            "number is public, and never counted from the records."
        )
    base = 0 if charged else (*before, 0)[len(before) - 1] if before else 0
    last = found[-1] if size is None else base + size
    if not pooled:
        known = (*before, last)
        wrong = found[-1:] != [last] if charged else found != list(known)
        if wrong:
            raise InvalidRecordError(
                f"After each release there are {found} records where {list(known)} are public: "
                "a record that comes late enters in the period that is released next, and none is "
                "taken back."
            )
    if last < 2:
        raise InvalidRecordError("One record alone cannot be averaged; release a later period.")
    return (*before, last)
