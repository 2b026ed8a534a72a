"""A plan of one release: one statistic, one mechanism."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.mechanisms import Calibration, Forecast, Mechanism, Request
from geomdp.noise.entropy import SeededEntropy, SystemEntropy
from geomdp.plans.base import PLAN_FORMAT, Plan, first_manifest
from geomdp.plans.denoising import Denoising, denoising_of
from geomdp.plans.pooling import (
    absent_rows,
    is_pooled,
    one_record_a_person,
    require_persons,
    uncounted_rows,
)
from geomdp.plans.release import Prepared, Release, room_for
from geomdp.privacy import Cost
from geomdp.privacy.guarantee import Guarantee
from geomdp.readings.base import as_written, reading_to_json
from geomdp.readings.names import names_to_json, said
from geomdp.registry import foreign_package
from geomdp.runtime.surroundings import undisturbed
from geomdp.runtime.threads import on_one_blas_thread, one_blas_thread
from geomdp.serial import Document, array_to_json
from geomdp.sources.records import Records, as_records
from geomdp.spaces.ball import Ball, project_into
from geomdp.statistics import Sensitivity, Statistic
from geomdp.statistics.encoded import Encoded, encode
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Centres of more numbers are not printed; they stand in the plan's file.
MOST_NUMBERS = 16
#: Why a value does not lose error for nothing.
AS_DRAWN = "stays as drawn: no rule is proved for"
#: No rows.
NONE: NDArray[np.intp] = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Alternative:
    """A mechanism that was considered: its expected error, or why it was refused.

    With both, its calibration was not finished, since it could not win.
    """

    name: str
    expected_error: float | None
    reason: str = ""

    def __str__(self) -> str:
        if self.expected_error is None:
            named = self.reason.startswith(self.name)
            return self.reason if named else f"{self.name}: {self.reason}"
        doubt = f", {self.reason}" if self.reason else ""
        return f"{self.name}: {self.expected_error:.6g} expected{doubt}"


@dataclass(frozen=True, eq=False, repr=False)
class SinglePlan(Plan):
    """A mechanism calibrated for a statistic, a number of records and a budget."""

    shape: ClassVar[str] = "single"

    _mechanism: Mechanism
    calibration: Calibration
    law_of_error: Forecast
    runners_up: tuple[Alternative, ...] = ()

    @property
    def single(self) -> "SinglePlan":  # noqa: D102
        return self

    @property
    def shown(self) -> "SinglePlan":  # noqa: D102
        return self

    @property
    def request(self) -> Request:  # noqa: D102
        return self.calibration.request

    @property
    def mechanism(self) -> str:
        """Name of the mechanism."""
        return self._mechanism.name

    @property
    def comparison(self) -> bool:
        """Whether the mechanism is there for comparison only."""
        return self._mechanism.comparison

    @property
    def in_coordinates(self) -> bool:
        """Whether a part of the largest change costs that part."""
        return self._mechanism.in_coordinates

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record can move the statistic, the solver's tolerance included."""
        return self.calibration.sensitivity

    @property
    def noise_deviation(self) -> float | None:  # noqa: D102
        return self._mechanism.deviation(self.calibration)

    @property
    def is_heavy(self) -> bool:
        """Whether noise on coordinates is Laplace, not Gaussian."""
        return self._mechanism.heavy

    @property
    def may_wrap(self) -> bool:
        """Whether noise may lead so far that a value has other coordinates than were drawn."""
        ball = self.statistic.public_ball
        if self._mechanism.coordinates(self.calibration) is None or ball is None:
            return False
        dim = ball.space.dim
        root = float(np.sqrt(dim))
        # Few draws are ten deviations longer than their mean; normal ones vary by one at most.
        long = dim + 10 * root if self._mechanism.heavy else root + 10
        longest = ball.reach + self.scale * long * ball.reach / ball.radius
        return bool(longest >= ball.space.chart_radius(ball.center))

    def follows_from(self, manifest: Document) -> Array | None:
        """Return the value that follows from what a manifest states beside it; None of a draw."""
        return None

    @cached_property
    def in_noisy_coordinates(self) -> LinearStatistic | None:
        """The statistic in the coordinates that noise was added to; None where they are unsure."""
        return None if self.may_wrap else self._mechanism.coordinates(self.calibration)

    @cached_property
    def denoising(self) -> Denoising | None:  # noqa: D102
        linear, deviation = self.in_noisy_coordinates, self.noise_deviation
        if linear is None or deviation is None:
            return None
        return denoising_of(self, linear, deviation)

    @property
    def as_drawn(self) -> str:  # noqa: D102
        asked = self.statistic
        space = asked.mean_space or (None if asked.public_ball is None else asked.public_ball.space)
        if self.denoising is not None or asked.in_stages or space is None or space.dim < 3:
            return ""
        linear = self._mechanism.coordinates(self.calibration)
        if linear is None:
            return f"{AS_DRAWN} noise of this law, which lies on the space itself"
        if self.may_wrap:
            return f"{AS_DRAWN} noise that may go round the space"
        return f"{AS_DRAWN} {linear.kept_raw}"

    @undisturbed()
    def denoised(self, value: Any) -> Any:  # noqa: D102
        linear, deviation = self.in_noisy_coordinates, self.noise_deviation
        if self.denoising is None or linear is None or deviation is None:
            return value
        try:
            return linear.denoised(np.asarray(value), deviation)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return value  # beyond what floats resolve

    @property
    def heavy(self) -> bool:
        """Whether noise on coordinates has the tails of a Laplace law."""
        return self._mechanism.heavy

    @property
    def least_error(self) -> float:
        """Mean error of what people use: of the value, or of the denoised one."""
        found = self.denoising
        return self.expected_error if found is None else min(found.typical, found.raw)

    @property
    def scale(self) -> float:
        """Length of the noise."""
        return self.calibration.scale

    @property
    def guarantee(self) -> Guarantee:
        """What a release promises; what rests on other packages is said."""
        given = self.calibration.guarantee
        foreign = (f"rests on {name}, which geomdp has not proved" for name in self.rests_on)
        return replace(given, caveats=(*given.caveats, *foreign))

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The other packages that statistic, space and mechanism come from, with versions."""
        things = (self.statistic, self._mechanism, self.statistic.value_space)
        found = {foreign_package(thing) for thing in things if thing is not None}
        return tuple(sorted(name for name in found if name is not None))

    @property
    def papers(self) -> tuple[str, ...]:
        """Whom a release cites: for its statistic, where that has papers, else its mechanism."""
        return self.statistic.papers or self._mechanism.papers

    @property
    def known_cost(self) -> Cost | None:
        """The cost of one record, or of a person with several."""
        cost = self.calibration.cost
        return None if cost is None else cost.for_group(self.unit.max_records or 1)

    @property
    def forecast(self) -> Forecast:  # noqa: D102
        return self.law_of_error

    def describe_mechanism(self) -> str:  # noqa: D102
        return self.mechanism

    @undisturbed()
    def simulate(self, at: Any, size: int = 1000, seed: int = 0) -> Array:
        """Draw around a PUBLIC point or public records: for forecasts and tests, never private.

        Parameters
        ----------
        at
            One public point, or an array of public records whose statistic is the centre.
        size
            Number of draws.
        seed
            Seed of the noise; whoever knows it can take the noise off again.
        """
        encoded = Encoded.of(self.statistic.encode_public(at))
        return self._mechanism.draw(self.calibration, encoded, SeededEntropy(seed), size)

    @undisturbed()
    def prepare(self, records: Any, *, project: bool = False) -> Prepared:  # noqa: D102
        if not self.statistic.needs_n:
            encoded = Encoded.of(self.statistic.admit(records).records)
            return self._with_manifest(encoded, project)
        data = as_records(records)
        if data.group is not None and not self.statistic.labelled:
            raise GeomdpError(
                'The plan has no groups; plan with n={"control": 300, ...}, or --group control=300.'
            )
        if is_pooled(self.unit):
            return self.prepare_persons(data, project=project)
        return self.prepare_rows(data, uncounted_rows(self.unit, data), project=project)

    @undisturbed()
    def encoded_here(self, records: Any) -> Encoded:
        """Return the rows of however many records there are: what one site of several holds."""
        data = as_records(records)
        return cast(_Prepared, self.for_these(data).prepare(data)).encoded

    def for_these(self, data: Records) -> "SinglePlan":
        """Return a plan for however many records there are: to read and check them, not to draw."""
        pooled = is_pooled(self.unit)
        n = len(np.unique(require_persons(data))) if pooled else len(data)
        fitted = replace(self.calibration, request=replace(self.request, n=n))
        return replace(self, calibration=fitted, about=None, stated=None)

    @undisturbed()
    def prepare_persons(self, data: Records, *, project: bool = False) -> Prepared:
        """Prepare a release of persons with any number of records, each as one."""
        return self._with_manifest(self.encoded_of(data, self.n, NONE), project)

    @undisturbed()
    def encoded_of(self, data: Records, n: int, uncounted: NDArray[np.intp]) -> Encoded:
        """Return the rows of n records, some of which count as the public one, or of n persons."""
        read, asked, policy = self._read(data), self.statistic, self.calibration.request.invalid
        if is_pooled(self.unit):
            read, uncounted = one_record_a_person(asked, read, n, policy), absent_rows(data, n)
            asked = asked.of_persons
        with one_blas_thread():
            return encode(asked, read, policy, uncounted)

    def prepare_rows(
        self, data: Records, uncounted: NDArray[np.intp], *, project: bool = False
    ) -> Prepared:
        """Prepare a release of these records, some of which count as the public one."""
        if len(data) != self.n:
            raise InvalidRecordError(
                f"The plan is for {self.n} records, but there are {len(data)}; make a plan for "
                "the true number, which is public."
            )
        return self._with_manifest(self.encoded_of(data, self.n, uncounted), project)

    @on_one_blas_thread
    def _read(self, data: Records) -> Records:
        """Return the records that the raw ones mean."""
        reading = self.reading
        if reading is None:
            return data
        return reading.records(data, self.guarantee.invalid, self.statistic.record_shape)

    def _with_manifest(self, encoded: Encoded, project: bool) -> Prepared:
        ball = public_ball_of(self.statistic) if project else None
        return _Prepared(self, encoded, first_manifest(self, project), ball)

    def statement(self) -> Document:  # noqa: D102
        request, fitted = self.calibration.request, self.calibration
        tries = {} if fitted.tries is None else {"tries": fitted.tries}
        return {
            "format": PLAN_FORMAT,
            "shape": self.shape,
            "statistic": request.statistic.to_json(),
            "n": request.n,
            "budget": request.budget.to_json(),
            "unit": request.unit.to_json(),
            "mechanism": self.mechanism,
            "bound": request.bound,
            "gaussian": request.gaussian,
            "invalid": request.invalid,
            **reading_to_json(request.reading),
            **names_to_json(request.names),
            "derived": {
                "sensitivity": self.sensitivity.value,
                "sensitivity_proof": self.sensitivity.proof,
                "scale": self.scale,
                "grid_exponent": fitted.grid_exponent,
                "law": fitted.law,
                "proof": fitted.proof,
                "cost": None if self.known_cost is None else self.known_cost.to_json(),
                "guarantee": self.guarantee.to_json(),
                "expected_error": self.expected_error,
                **tries,
                **{str(key): value for key, value in fitted.facts.items()},
                **({"rests on": list(self.rests_on)} if self.rests_on else {}),
            },
        }

    @undisturbed()
    def __str__(self) -> str:
        advice = [f"Note         {text}" for text in self.remarks]
        return "\n".join([*self.summary_lines(), *advice, *self._warning_lines()])

    def summary_lines(self) -> list[str]:
        """Return what the plan says, without warnings, line by line."""
        request = self.calibration.request
        records = f", n = {self.unit.count(self.n)}" if request.statistic.needs_n else ""
        lines = [
            f"Plan         {request.statistic.describe()}{records}",
            *self._center_lines(),
            *([] if self.reading is None else [f"Records      {self.reading.describe()}"]),
            *([f"Names        {said(self.names)}"] if self.names else []),
            f"Guarantee    {self.guarantee}",
            *self._epsilon_lines(),
            f"Mechanism    {self.mechanism} ({self.calibration.law})",
            f"Sensitivity  {self.sensitivity.value:.6g} ({self.sensitivity.bound} bound, "
            f"docs/theory/{self.sensitivity.proof}.md)",
            f"Noise scale  {self.scale:.6g}",
            *self._error_lines(),
        ]
        for i, other in enumerate(self.runners_up):
            lines.append(f"{'Runners-up' if i == 0 else '':<12} {other}")
        return lines

    def _center_lines(self) -> list[str]:
        """Return the public centre: what was typed may be read otherwise than it was meant."""
        radius = self.statistic.public_radius
        if radius is None or not np.isfinite(radius):
            return []
        center = as_written(np.asarray(self.statistic.public_center), self.reading)
        if center.size > MOST_NUMBERS:
            shape = " x ".join(str(size) for size in center.shape)
            return [f"Centre       an array of {shape} numbers, in the plan's file"]
        return [f"Centre       {', '.join(f'{entry:.6g}' for entry in center.ravel())}"]


@dataclass(frozen=True, eq=False)
class _Prepared(Prepared):
    """Encoded records and everything else but the noise."""

    plan: SinglePlan
    encoded: Encoded
    manifest: Document
    ball: Ball | None

    @undisturbed()
    def settle(self) -> None:
        if self.encoded.elsewhere is not None:
            with one_blas_thread():
                self.plan._mechanism.settle(self.plan.calibration, self.encoded)

    @undisturbed()
    def draw(self) -> Release:
        with one_blas_thread():
            drawn = self.plan._mechanism.draw(self.plan.calibration, self.encoded, SystemEntropy())
        value = np.asarray(drawn[0])
        if self.ball is not None:
            value = project_into(self.ball, value)
        return Release(self.plan, value, {**self.manifest, "value": array_to_json(value)})

    @property
    def room(self) -> int:
        return room_for(self.manifest)


def public_ball_of(statistic: Statistic) -> Ball:
    """Return the ball that a value may be projected into, or refuse."""
    if statistic.public_ball is None or statistic.value_space is None:
        raise GeomdpError(
            "Only a statistic with a public ball can be projected; use project=False."
        )
    if statistic.public_ball.form is not None:
        raise GeomdpError("A value is projected into round balls only; use project=False.")
    return statistic.public_ball
