"""Plan before you spend: one verb for every shape of plan, and its inverse, :func:`budget_for`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack, overload

import numpy as np

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import Request
from geomdp.plans.about import About
from geomdp.plans.choosing import choose, make_request
from geomdp.plans.over_time import OverTime, OverTimePlan
from geomdp.plans.parallel import ParallelPlan
from geomdp.plans.pooling import require_poolable
from geomdp.plans.refined import Refined
from geomdp.plans.single import SinglePlan
from geomdp.plans.staged import STAGES, StagedPlan
from geomdp.privacy import Budget, GaussianFormula, Pure, Unit
from geomdp.readings.base import Reading
from geomdp.runtime.surroundings import undisturbed
from geomdp.spaces.admission import Policy
from geomdp.statistics import Statistic
from geomdp.statistics.sensitivity import Bound

if TYPE_CHECKING:
    from geomdp.curves.function_regression import FunctionRegression
    from geomdp.surfaces.surface_mean import SurfaceMean


class Question(Protocol):
    """What is asked by more than one release: in stages, or over time."""

    @property
    def statistic(self) -> Statistic:
        """What the last release asks, on the public prior."""

    def planned(self, request: Request, mechanism: str, *, about: About) -> Any:
        """Return the plan for a request."""


class Told(TypedDict, total=False):
    """What is said of the records in every group and stage; :func:`plan` says what each means."""

    bound: Bound
    gaussian: GaussianFormula
    invalid: Policy | None
    reading: Reading | None
    names: Sequence[str]


class Choices(Told, total=False):
    """What may be chosen for every shape of plan."""

    mechanism: str
    unit: Unit | None
    about: About | None


@overload
def plan(  # type: ignore[overload-overlap]
    statistic: "SurfaceMean | FunctionRegression",
    *,
    n: int,
    budget: Budget,
    **choices: Unpack[Choices],
) -> SinglePlan | StagedPlan: ...


@overload
def plan(
    statistic: Statistic, *, n: int | None = None, budget: Budget, **choices: Unpack[Choices]
) -> SinglePlan: ...


@overload
def plan(
    statistic: Statistic, *, n: Mapping[str, int], budget: Budget, **choices: Unpack[Choices]
) -> ParallelPlan: ...


@overload
def plan(
    statistic: OverTime, *, n: int, budget: Budget, **choices: Unpack[Choices]
) -> OverTimePlan: ...


@overload
def plan(
    statistic: Question, *, n: int, budget: Budget, **choices: Unpack[Choices]
) -> StagedPlan: ...


@undisturbed()
def plan(
    statistic: Statistic | Question,
    *,
    n: int | Mapping[str, int] | None = None,
    budget: Budget,
    mechanism: str = "auto",
    unit: Unit | None = None,
    bound: Bound = "sharp",
    gaussian: GaussianFormula = "analytic",
    invalid: Policy | None = None,
    reading: Reading | None = None,
    names: Sequence[str] = (),
    about: About | None = None,
) -> SinglePlan | ParallelPlan | StagedPlan | OverTimePlan:
    """Calibrate a mechanism for a statistic: touches no data and spends nothing.

    Parameters
    ----------
    statistic
        What is asked, for example ``FrechetMean(ball)``. A ``SurfaceMean`` whose tau is left out is
        planned as ``Refined`` wherever there are records and budget enough to find one; by group,
        and otherwise, its tau is chosen from n and the budget (of a regression, 0.03).
    n
        Public number of records; or the public size of each group by label, such as
        ``{"control": 572, "patient": 400}``, for one release a group. Not needed for a ``Summary``.
    budget
        For example ``Pure(epsilon=1)``: the promise to one unit.
    mechanism
        A name, or ``"auto"`` for the smallest forecast error among the mechanisms that serve; with
        groups they are compared for the smallest group.
    unit
        Who is protected: ``Unit.record()`` (default), ``Unit.person()`` with any number of records
        each (then n is the public number of persons), or ``Unit.person(max_records=3)``; with
        groups also whether labels are public (default) or private.
    bound
        ``"sharp"`` or ``"paper"``, for the sensitivity.
    gaussian
        Formula by which an (epsilon, delta) becomes Gaussian noise.
    invalid
        What an invalid record does: ``"refuse"`` (default but for surfaces) refuses the data set
        before anything is drawn, and promises privacy among data sets of valid records;
        ``"public"`` lets it count as the statistic's public record, and promises privacy among all
        data sets of n records (docs/theory/clipping.md).
    reading
        What a raw record means, where records are not points yet: ``geomdp.readings.Compositions``,
        ``Directions("dec-inc")``, ``UnitVectors()``, ``Scaled(1000)``, or
        ``geomdp.images.Descriptors`` of images.
    names
        Public names of what a record consists of, for pictures and files: one for each share,
        region, feature, landmark or channel, or for each factor of a product. They calibrate
        nothing and are never taken from the data.
    about
        What the plan is for and who answers for it: words for a board, which calibrate nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)
    >>> made = dp.plan(dp.FrechetMean(ball), n=972, budget=dp.Pure(epsilon=1))
    >>> made.mechanism, round(made.scale, 6)
    ('laplace', 0.004115)
    >>> groups = {"control": 572, "patient": 400}
    >>> dp.plan(dp.FrechetMean(ball), n=groups, budget=dp.Pure(epsilon=1)).sizes["patient"]
    400
    """
    words = (about or About()).dated()
    told: Told = {"bound": bound, "gaussian": gaussian, "invalid": invalid}
    told |= {"reading": reading, "names": names}
    if isinstance(n, Mapping):
        if not isinstance(statistic, Statistic) or statistic.in_stages:
            raise GeomdpError(
                "Stages, and releases over time, are not planned by group: find one ball for all "
                "with PrivateBall and plan the groups in it; take groups as levels of a covariate "
                "(NormativeRegion) or as Classes (over time); or plan each group by itself."
            )
        if statistic.labelled:
            raise GeomdpError(
                "Classes take the number n of all records: the sizes of classes are private."
            )
        who = _with_labels(unit)
        share = budget
        if isinstance(budget, Budget):
            # What is asked may change with the kind of budget, and so what leaving a group costs.
            whole = (make_request(statistic, size, budget, **told) for size in set(n.values()))
            absence = max((request.statistic.absence for request in whole), default=Fraction(1))
            share = who.record_budget(budget, absence, len(n))
        requests = {
            str(label): make_request(statistic, size, share, unit=who.in_a_group, **told)
            for label, size in n.items()
        }
        plans = _compared_once(requests, mechanism)
        require_poolable(statistic, who)
        made = ParallelPlan(budget, who, plans, about=words)
        made.cost  # noqa: B018  a comparison keeps no promise together with others
        return made
    if isinstance(unit, Unit) and unit.labels != "none":
        raise GeomdpError('Labels need groups: plan with n={"control": 300, "patient": 200}.')
    inner = statistic if isinstance(statistic, Statistic) else statistic.statistic
    request = make_request(inner, n, budget, unit=unit, **told)
    require_poolable(request.statistic, request.unit)
    if not isinstance(statistic, Statistic):
        return statistic.planned(request, mechanism, about=words)
    if statistic.in_stages:
        return _in_its_stages(request, mechanism, words)
    clipped = statistic.as_clipped()
    if clipped is not None and clipped.tau is None:
        with suppress(MechanismRefusedError):
            return Refined(statistic).planned(request, mechanism, about=words)
    return choose(request, mechanism).described(words)


def _in_its_stages(request: Request, mechanism: str, words: About) -> StagedPlan:
    """Plan what a rule of stages alone answers."""
    rule = STAGES.named(request.statistic.in_stages)(request, mechanism)
    return StagedPlan(rule, request.budget, about=words)


def _compared_once(requests: dict[str, Request], mechanism: str) -> dict[str, SinglePlan]:
    """Plan every group with the mechanism that serves the smallest best; equal sizes share a plan.

    The smallest group has the most noise, and which mechanism has the least hangs little on n. A
    group that this mechanism refuses is compared by itself.
    """
    by_size: dict[int, SinglePlan] = {}
    chosen = mechanism
    for size, request in sorted({r.n: r for r in requests.values()}.items()):
        try:
            by_size[size] = choose(request, chosen)
        except MechanismRefusedError:
            if mechanism != "auto" or chosen == "auto":
                raise
            by_size[size] = choose(request)
        chosen = by_size[size].mechanism if chosen == "auto" else chosen
    plans, told = {}, set[int]()
    for label, request in requests.items():
        again = request.n in told
        plans[label] = replace(by_size[request.n], runners_up=()) if again else by_size[request.n]
        told.add(request.n)
    return plans


def _with_labels(unit: Unit | None) -> Unit:
    """Return the unit of a plan by group: labels are public unless it says otherwise."""
    if unit is None:
        return Unit.record(labels="public")
    if unit.labels != "none":
        return unit
    return Unit(unit.of, unit.max_records, unit.groups, "public")


# --- The inverse of planning: the smallest budget whose forecast error is small enough.


#: Where :func:`budget_for` stops looking.
SMALLEST_BUDGET, LARGEST_BUDGET = 1e-6, 1e6


@undisturbed()
def budget_for(
    statistic: Statistic,
    *,
    n: int | Mapping[str, int] | None = None,
    error: float,
    kind: Callable[[float], Budget] = Pure,
    quantile: float | None = None,
    mechanism: str = "auto",
    bound: Bound = "sharp",
    unit: Unit | None = None,
) -> Budget:
    """Return the smallest budget, to three digits, whose forecast error is at most ``error``.

    Parameters
    ----------
    statistic, n, mechanism, bound, unit
        As for :func:`plan`; with groups the error is that of the group with the largest.
    error
        The error wanted: its mean, or the ``quantile`` if one is given. What is known in advance
        cannot wait for a tau that is found: of a statistic without tau it is the error with the tau
        that is chosen from n and the budget, of ``plan(statistic.under(budget, n), ...)``.
    kind
        Makes a budget from a number: ``Pure``, ``GDP``, or ``lambda e: Approximate(e, 1e-6)``.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> budget_for(dp.FrechetMean(ball), n=1000, error=0.01)
    Pure(epsilon=0.219)

    Without tau, a plan of ``mean`` itself would find one first, and say its error by case.

    >>> from geomdp.surfaces import SurfaceMean, make_template, template_face
    >>> mean = SurfaceMean(make_template(template_face()), rings=8, points=24)
    >>> budget = budget_for(mean, n=1000, error=0.002, kind=dp.GDP)
    >>> made = dp.plan(mean.under(budget, 1000), n=1000, budget=budget)
    >>> made.shape, round(made.expected_error, 4)
    ('single', 0.002)
    """
    if not 0 < error < float("inf"):
        raise GeomdpError(f"The error wanted must be positive and finite, not {error}.")

    sizes: Any = n

    def forecast(value: float) -> float:
        try:
            budget = kind(value)
            asked = _in_one_stage(statistic, n, budget, unit)
            made = plan(asked, n=sizes, budget=budget, mechanism=mechanism, bound=bound, unit=unit)
        except MechanismRefusedError:
            return float("inf")
        return made.expected_error if quantile is None else made.error_quantile(quantile)

    low, high = _bracket(lambda value: forecast(value) <= error)
    while high / low > 1.001:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if forecast(middle) <= error else (middle, high)
    return kind(_three_digits_up(high))


def _in_one_stage(
    statistic: Any, n: int | Mapping[str, int] | None, budget: Budget, unit: Unit | None
) -> Any:
    """Return what is asked with everything chosen that was left out, after n is checked.

    Questions that say their stages themselves stay; by group, plans choose anyway.
    """
    if isinstance(n, Mapping) or not isinstance(statistic, Statistic):
        return statistic
    return make_request(statistic, n, budget, unit=unit).statistic


def _bracket(enough: Callable[[float], bool]) -> tuple[float, float]:
    """Budgets a factor 8 apart, of which the larger is enough and the smaller is not."""
    value = 1.0
    if enough(value):
        while enough(value / 8) and value > SMALLEST_BUDGET:
            value /= 8
        return value / 8, value
    while not enough(value * 8):
        value *= 8
        if value > LARGEST_BUDGET:
            raise MechanismRefusedError(
                f"No budget below {LARGEST_BUDGET:g} gives so small an error; use more records, a "
                "smaller radius or another mechanism."
            )
    return value, value * 8


def _three_digits_up(value: float) -> float:
    """Round up to three significant digits."""
    exponent = int(np.floor(np.log10(value))) - 2
    return float(f"{np.ceil(value / 10.0**exponent):.0f}e{exponent}")
