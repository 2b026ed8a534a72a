"""From what was typed to a plan."""

from typing import TYPE_CHECKING, Any

from geomdp.options import OptionError
from geomdp.typed.inputs import Typed, read_names

if TYPE_CHECKING:
    from geomdp.plans import Plan
    from geomdp.privacy import Budget
    from geomdp.statistics import Statistic

#: With --find-ball: the ball is all that is asked.
BALL_ALONE = "ball"


def made_of(given: Typed, table: bool = False) -> "Plan":
    """Make the plan that was typed."""
    from geomdp.plans import About
    from geomdp.plans.planning import plan
    from geomdp.privacy import Unit

    unit = Unit.asked(given)
    count = given.counts("records" if unit is None else unit.plural)
    budget = _budget(given)
    alone = given["find_ball"] and given["statistic"] == BALL_ALONE
    # The centre of a ball that is found alone is a tangent mean in the prior.
    asked = (given.but(statistic="tangent-mean") if alone else given).statistic()
    if given["find_ball"] and not isinstance(count, int):
        raise OptionError(
            "--find-ball takes --n: find one ball for all groups (--statistic ball), and plan them "
            "in it (--ball FOLDER)"
        )
    if given["find_ball"] and given["periods"] is not None:
        raise OptionError(
            "--find-ball and --periods do not go together: find a ball on the first records alone "
            "(--statistic ball), and plan over time in it (--ball FOLDER)"
        )
    if given["periods"] is not None and (given["clipped"] or budget is None or table):
        raise OptionError("--periods takes a budget: no --error, --table, --clipped")
    for option in ("find_ball", "clipped"):
        if given[option] and (budget is None or table):
            name = option.replace("_", "-")
            raise OptionError(f"--{name} takes a budget: no --error, --table")
    how = {"mechanism": _mechanism(given), "bound": given["bound"], "unit": unit}
    if budget is None:
        asked, budget = _searched(asked, count, given, how)
    return plan(
        _question(asked, given, alone),
        n=count,
        budget=budget,
        invalid=given["invalid"],
        reading=given.reading,
        names=read_names(given["names"], given["links"]),
        about=About.asked(given),
        **how,
    )


def _budget(given: Typed) -> "Budget | None":
    """Return the budget that was typed; None where it is to be found from an error."""
    from geomdp.privacy.budgets import budget_from_options

    if given["error"] is None:
        return budget_from_options(given)
    if any(given[key] is not None for key in ("epsilon", "mu", "rho")):
        raise OptionError("give a budget or --error, not both")
    return None


def _searched(
    asked: "Statistic", count: Any, given: Typed, how: dict[str, Any]
) -> "tuple[Statistic, Budget]":
    """Find the smallest budget with the error that was typed."""
    from geomdp.plans.choosing import make_request
    from geomdp.plans.planning import budget_for
    from geomdp.privacy.budgets import budget_maker

    kind = budget_maker(given["kind"], given["delta"])
    budget = budget_for(
        asked, n=count, error=given["error"], kind=kind, quantile=given["quantile"], **how
    )
    if isinstance(count, int):  # an error known in advance needs a tau that is known too
        asked = make_request(asked, count, budget, unit=how["unit"]).statistic
    return asked, budget


def _mechanism(given: Typed) -> str:
    """Return the name of the mechanism, which may depend on options of its own."""
    from geomdp.mechanisms import MECHANISMS

    name: str = given["mechanism"]
    chosen = MECHANISMS.get(name)
    used = () if chosen is None else chosen.options
    every = [option for one in MECHANISMS.values() for option in one.options]
    given.refuse(every, used, f"--mechanism {name}")
    return name if chosen is None else chosen.asked(given)


def _question(asked: "Statistic", given: Typed, ball_alone: bool) -> Any:
    """Return what the plan asks: the statistic, in a ball found first, or that ball alone."""
    from geomdp.plans import Clipped, OverTime, PrivateBall, Refined

    prior = asked.public_ball
    alone = ball_alone and prior is not None
    if not given["clipped"] or alone:
        given.refuse(Clipped.options, (), "this plan")
    if prior is not None and alone:
        return PrivateBall(prior)
    if given["clipped"]:
        return Clipped.asked(Refined(asked) if given["find_ball"] else asked, given)
    return Refined(asked) if given["find_ball"] else OverTime.asked(asked, given)
