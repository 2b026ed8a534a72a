"""Plan before you spend: everything about a release that is known without the data."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.agreement import plan_disagreements
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS, Calibration, Forecast, Mechanism, Request, mechanism_named
from geomdp.noise.entropy import SeededEntropy
from geomdp.privacy import GDP, Budget, budget_from_json
from geomdp.privacy.guarantee import Guarantee
from geomdp.serial import Document
from geomdp.spaces.admission import Policy
from geomdp.statistics import Sensitivity, Statistic, statistic_from_json
from geomdp.statistics.sensitivity import Bound
from geomdp.typing import Array

if TYPE_CHECKING:
    from dp_accounting import DpEvent

    from geomdp.release import Prepared, Release

#: Version of the plan file.
PLAN_FORMAT = 1


@dataclass(frozen=True)
class Alternative:
    """A mechanism that was considered: its expected error, or why it was refused."""

    name: str
    expected_error: float | None
    reason: str = ""

    def __str__(self) -> str:
        if self.expected_error is None:
            named = self.reason.startswith(self.name)
            return self.reason if named else f"{self.name}: {self.reason}"
        return f"{self.name}: {self.expected_error:.6g} expected"


@dataclass(frozen=True, eq=False)
class Plan:
    """A mechanism calibrated for a statistic, a number of records and a budget.

    Nothing in a plan depends on data, so that a review board can approve it before anyone touches
    the records. Make one with :func:`plan`.
    """

    _mechanism: Mechanism
    calibration: Calibration
    forecast: Forecast
    runners_up: tuple[Alternative, ...] = ()

    @property
    def statistic(self) -> Statistic:
        """What is asked."""
        return self.calibration.request.statistic

    @property
    def n(self) -> int:
        """Public number of records."""
        return self.calibration.request.n

    @property
    def mechanism(self) -> str:
        """Name of the mechanism."""
        return self._mechanism.name

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record can move the statistic, the solver's tolerance included."""
        return self.calibration.sensitivity

    @property
    def scale(self) -> float:
        """Length of the noise."""
        return self.calibration.scale

    @property
    def guarantee(self) -> Guarantee:
        """What a release promises."""
        return replace(self.calibration.guarantee, invalid=self.calibration.request.invalid)

    @property
    def is_private(self) -> bool:
        """Whether the promise is proved for the program as it runs, so that it may be accounted.

        Comparisons are not: they have no :attr:`gdp`, no :attr:`dp_event` and no place in a cohort.
        """
        return not self._mechanism.comparison and self.guarantee.strength == "exact"

    def require_private(self) -> None:
        """Refuse to account for a comparison, in one sentence."""
        if not self.is_private:
            raise MechanismRefusedError(
                f"{self.mechanism} is a comparison without a proved promise, so that nothing can "
                'be accounted for it; plan with mechanism="auto".'
            )

    @property
    def dp_event(self) -> "DpEvent":
        """The release as an event of dp-accounting, for accounting together with other software.

        Gaussian mechanisms state their exact mu whatever kind of budget they were asked for.
        """
        from geomdp.privacy import dp_event

        self.require_private()
        return dp_event(self.gdp if "mu" in self.calibration.facts else self.guarantee.budget)

    @property
    def gdp(self) -> GDP:
        """The release as mu-GDP, as tight as known: what :func:`geomdp.privacy.compose` adds up.

        >>> import geomdp as dp
        >>> ball = dp.Ball(dp.Euclidean(10), center=np.zeros(10), radius=1.0)
        >>> made = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
        >>> round(made.gdp.mu, 3)
        0.324
        """
        self.require_private()
        return self._mechanism.gdp(self.calibration)

    @property
    def expected_error(self) -> float:
        """Mean distance between release and statistic."""
        return self.forecast.expected

    def error_quantile(self, q: float) -> float:
        """Distance between release and statistic that is not exceeded with probability ``q``."""
        return self.forecast.quantile(q)

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
        encoded = self.statistic.encode_public(at)
        return self._mechanism.draw(self.calibration, encoded, SeededEntropy(seed), size)

    def release(
        self, records: Any, *, project: bool = False, folder: str | Path | None = None
    ) -> "Release":
        """Touch the data once and return a private value with its manifest.

        Parameters
        ----------
        records
            As many records as the plan says; for a ``Summary``, the computed point.
        project
            Move a value that falls outside the ball to its boundary: free post-processing.
        folder
            Save the release here too: that the folder can be made is settled before anything is
            drawn.
        """
        prepared = self.prepare(records, project=project)
        return prepared.draw() if folder is None else prepared.draw_into(folder)

    def prepare(self, records: Any, *, project: bool = False) -> "Prepared":
        """Do everything of a release that can fail, and leave the draw: nothing is spent yet."""
        from geomdp.release import prepare

        return prepare(self, self._mechanism, records, project=project)

    def to_json(self) -> Document:
        """Describe the plan by its public inputs, with the numbers that follow from them."""
        request = self.calibration.request
        return {
            "format": PLAN_FORMAT,
            "statistic": request.statistic.to_json(),
            "n": request.n,
            "budget": request.budget.to_json(),
            "mechanism": self.mechanism,
            "bound": request.bound,
            "calibration": request.calibration,
            "invalid": request.invalid,
            "derived": {
                "sensitivity": self.sensitivity.value,
                "scale": self.scale,
                "grid_exponent": self.calibration.grid_exponent,
                "proof": self.sensitivity.proof,
                "sensitivity_proof": self.sensitivity.proof,
                "guarantee": self.guarantee.to_json(),
                "expected_error": self.expected_error,
                **{str(key): value for key, value in self.calibration.facts.items()},
            },
        }

    def save(self, file: str | Path) -> None:
        """Write the plan to a file that :func:`load_plan` reads."""
        path = Path(file)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        partial.replace(path)

    def __str__(self) -> str:
        request = self.calibration.request
        records = f", n = {request.n}" if request.statistic.needs_n else ""
        lines = [
            f"Plan         {request.statistic.describe()}{records}",
            f"Guarantee    {self.guarantee}",
            f"Mechanism    {self.mechanism} ({self.calibration.facts.get('law', '')})",
            f"Sensitivity  {self.sensitivity.value:.6g} ({self.sensitivity.bound} bound, "
            f"docs/theory/{self.sensitivity.proof}.md)",
            f"Noise scale  {self.scale:.6g}",
            f"Error        {self.expected_error:.6g} expected, {self.error_quantile(0.95):.6g} in "
            "95 of 100 releases",
        ]
        if self.forecast.note:
            lines.append(f"             {self.forecast.note}")
        for i, other in enumerate(self.runners_up):
            lines.append(f"{'Runners-up' if i == 0 else '':<12} {other}")
        return "\n".join(lines)


def plan(
    statistic: Statistic,
    n: int | None = None,
    budget: Budget | None = None,
    mechanism: str = "auto",
    *,
    bound: Bound = "sharp",
    calibration: str = "analytic",
    invalid: Policy | None = None,
) -> Plan:
    """Calibrate a mechanism for a statistic: touches no data and spends nothing.

    Parameters
    ----------
    statistic
        What is asked, for example ``FrechetMean(ball)``.
    n
        Public number of records; not needed for a ``Summary``.
    budget
        For example ``Pure(epsilon=1)``.
    mechanism
        A name, or ``"auto"`` for the smallest forecast error among the mechanisms that serve.
    bound
        ``"sharp"`` or ``"paper"``, for the sensitivity.
    calibration
        How Gaussian noise is calibrated.
    invalid
        What an invalid record does: ``"refuse"`` (default but for surfaces) refuses the data set
        before anything is drawn, and promises privacy among data sets of valid records;
        ``"public"`` lets it count as the statistic's public record, and promises privacy among all
        data sets of n records (docs/theory/clipping.md).

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)
    >>> plan = dp.plan(dp.FrechetMean(ball), n=972, budget=dp.Pure(epsilon=1))
    >>> plan.mechanism, round(plan.scale, 6)
    ('laplace', 0.004115)
    """
    count, policy = _public_n(statistic, n), _policy(statistic, invalid)
    request = Request(statistic, count, _budget(budget), bound, calibration, policy)
    if mechanism != "auto":
        chosen = mechanism_named(mechanism)
        fitted = chosen.calibrate(request)
        return Plan(chosen, fitted, chosen.forecast(fitted))
    candidates, refusals = [], []
    for option in MECHANISMS.values():
        if option.comparison:
            continue
        try:
            fitted = option.calibrate(request)
        except MechanismRefusedError as error:
            refusals.append(Alternative(option.name, None, str(error)))
            continue
        candidates.append(Plan(option, fitted, option.forecast(fitted)))
    if not candidates:
        reasons = " ".join(str(refusal) for refusal in refusals)
        raise MechanismRefusedError(f"No mechanism can serve this request. {reasons}")
    best, *others = sorted(candidates, key=lambda p: p.expected_error)
    ranked = [Alternative(p.mechanism, p.expected_error) for p in others]
    return Plan(best._mechanism, best.calibration, best.forecast, (*ranked, *refusals))


def load_plan(file: str | Path) -> Plan:
    """Read a plan, make it again from its public inputs, and check that nothing was altered."""
    try:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise GeomdpError(f"The plan {str(file)!r} cannot be read: {error}.") from error
    return plan_from_json(document)


def remake(document: Document) -> Plan:
    """Make a plan again from its public inputs alone, whatever the document states beside them."""
    return plan(
        statistic_from_json(document["statistic"]),
        document["n"],
        budget_from_json(document["budget"]),
        document["mechanism"],
        bound=document["bound"],
        calibration=document["calibration"],
        invalid=document.get("invalid"),
    )


def plan_from_json(document: Document) -> Plan:
    """Make a plan again, and refuse one whose calibration is not what the document states.

    Forecasts may differ: a better one does not change what was approved.
    """
    try:
        if document["format"] != PLAN_FORMAT:
            raise GeomdpError(
                f"The plan file has format {document['format']}, but this version reads format "
                f"{PLAN_FORMAT}: make the plan again."
            )
        made = remake(document)
        changed = next(plan_disagreements(made.to_json(), document), None)
    except (KeyError, TypeError, AttributeError) as error:
        raise GeomdpError("The plan file is damaged or of another version.") from error
    if changed:
        raise GeomdpError(
            f"The plan file states a {changed[0].removeprefix('derived.')} that does not follow "
            "from its public inputs; it was altered, or made by a version that calibrated "
            "otherwise: make the plan again and have it approved again."
        )
    return made


def _public_n(statistic: Statistic, n: int | None) -> int:
    if not statistic.needs_n:
        return 1
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise GeomdpError(
            f"The number of records n must be public and at least 2, not {n!r}: one record alone "
            "cannot be averaged with others."
        )
    return int(n)


def _policy(statistic: Statistic, invalid: Policy | None) -> Policy:
    chosen = statistic.policies[0] if invalid is None else invalid
    if chosen not in statistic.policies:
        raise GeomdpError(
            f"invalid must be {' or '.join(map(repr, statistic.policies))} for a {statistic.tag}, "
            f"not {invalid!r}."
        )
    return chosen


def _budget(budget: Budget | None) -> Budget:
    if not isinstance(budget, Budget):
        raise GeomdpError(f"A plan needs a budget such as Pure(epsilon=1), not {budget!r}.")
    return budget
