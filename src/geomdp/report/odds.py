"""What a budget means in plain words, in a formula and in numbers: the attacker before and after.

The bounds are proved in docs/theory/attackers-odds.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure, Unit
from geomdp.report.rendering import Html, part
from geomdp.typing import Array

#: Beliefs, or rates of false alarms, at which the tables are made.
PRIORS, ALARMS = (0.01, 0.1, 0.5), (0.01, 0.05, 0.1)


@dataclass(frozen=True)
class Meaning:
    """A budget explained, as a promise to one unit.

    ``unit``: who is protected. ``name``: the kind of promise. ``plain``: what it means, without
    symbols. ``formula``: the definition, as HTML of our own. ``before``, ``after``: names of the
    two quantities that ``bound`` relates. ``at``: values of the first at which a table is made.
    ``bound``: largest value of the second that the budget allows.
    """

    unit: Unit
    name: str
    plain: str
    formula: Html
    before: str
    after: str
    at: tuple[float, ...]
    bound: Callable[[Array], Array]


#: What the strongest attacker knows already, what is left to decide, and to believe in.
_KNOWS = {
    "record": "Suppose that an attacker knows every record but one",
    "person": "Suppose that an attacker knows all records but those of one person",
}
_DECIDES = {
    "record": "which of two values that record has",
    "person": "which of two sets of records that person has",
}
_BELIEF = {"record": "that one", "person": "that person"}
#: The same in a sentence about numbers.
_ELSE_KNOWN = {
    "record": "even if every other record is known",
    "person": "even if all records of everyone else are known",
}


def _told_apart(
    unit: Unit, name: str, plain: str, formula: Html, power: Callable[[Array], Array]
) -> Meaning:
    """Explain a budget by how well two values of one unit can be told apart."""
    start = f"{_KNOWS[unit.of]}, and must decide from the release {_DECIDES[unit.of]}. "
    names = ("wrongly accused", "rightly found, at most")
    return Meaning(unit, name, f"{start}{plain}", formula, *names, ALARMS, power)


@singledispatch
def meaning(budget: Budget, unit: Unit) -> Meaning:
    """Explain a budget to whom it is promised."""
    raise TypeError(f"No words for {type(budget).__name__}.")


def first_row_words(explained: Meaning) -> str:
    """Say what the first row of the table means, in one sentence."""
    of, first = explained.unit.of, explained.at[0]
    last = explained.bound(np.array([first]))[0]
    if explained.before.startswith("belief"):
        return (
            f"Someone who thought a statement about one {of} {share(first)} likely may, after "
            f"seeing the release, think it at most {share(last)} likely, {_ELSE_KNOWN[of]}."
        )
    return (
        f"An attacker who accepts to accuse wrongly in {share(first)} of cases finds the truth in "
        f"at most {share(last)} of cases, {_ELSE_KNOWN[of]}."
    )


def share(x: float) -> str:
    """Write a probability as people read it."""
    return f"{100 * float(x):.3g}%"


def _factor(epsilon: float) -> str:
    """e^epsilon in figures, as long as people would read them."""
    return f"{np.exp(epsilon):.3g}" if epsilon < 20 else f"e^{epsilon:.6g}"


@meaning.register
def _(budget: Pure, unit: Unit) -> Meaning:
    return Meaning(
        unit=unit,
        name="pure differential privacy",
        plain=f"{_KNOWS[unit.of]}, and has a belief about {_BELIEF[unit.of]}. Whatever is "
        "released, the odds of that belief grow or shrink by a factor of at most "
        f"{_factor(budget.epsilon)}, and this holds for any belief and any side knowledge.",
        formula=part("pure", f"{budget.epsilon:.6g}"),
        before="belief before",
        after="belief after, at most",
        at=PRIORS,
        bound=lambda prior: posterior(prior, budget.epsilon),
    )


@meaning.register
def _(budget: Approximate, unit: Unit) -> Meaning:
    return _told_apart(
        unit,
        name="approximate differential privacy",
        plain=f"The release tells no more than this: with probability {budget.delta:.3g} it "
        "gives the answer away, and otherwise the odds of any belief grow or shrink by a factor "
        f"of at most {_factor(budget.epsilon)}.",
        formula=part("approximate", f"{budget.epsilon:.6g}", f"{budget.delta:.6g}"),
        power=lambda alarm: approximate_power(alarm, budget.epsilon, budget.delta),
    )


@meaning.register
def _(budget: GDP, unit: Unit) -> Meaning:
    return _told_apart(
        unit,
        name="Gaussian differential privacy",
        plain="That is at least as hard as telling two bell curves of width 1, a distance "
        f"{budget.mu:.3g} apart, from a single draw.",
        formula=part("gdp", f"{budget.mu:.6g}"),
        power=lambda alarm: gaussian_power(alarm, budget.mu),
    )


@meaning.register
def _(budget: ZCDP, unit: Unit) -> Meaning:
    return _told_apart(
        unit,
        name="zero-concentrated differential privacy",
        plain="Two releases whose laws are this close cannot be told apart more reliably "
        "than the table says.",
        formula=part("zcdp", f"{budget.rho:.6g}"),
        power=lambda alarm: concentrated_power(alarm, budget.rho),
    )


def posterior(prior: Array, epsilon: float) -> Array:
    """Largest belief after a purely private release: ``e^eps p / (1 + (e^eps - 1) p)``."""
    # Divided by e^eps, which may overflow.
    return prior / (prior + np.exp(-epsilon) * (1 - prior))


def approximate_power(alarm: Array, epsilon: float, delta: float) -> Array:
    """Largest power of a test with this rate of false alarms, for (epsilon, delta)."""
    with np.errstate(over="ignore"):
        rising = np.exp(epsilon) * alarm + delta
    return np.clip(np.minimum(rising, 1 - np.exp(-epsilon) * (1 - delta - alarm)), 0, 1)


def gaussian_power(alarm: Array, mu: float) -> Array:
    """Largest power of a test with this rate of false alarms, for mu-GDP."""
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtr(ndtri(alarm) + mu))


def concentrated_power(alarm: Array, rho: float) -> Array:
    """Bound on the power of a test with this rate of false alarms, for rho-zCDP.

    ``exp(-(sqrt(log(1/alarm)) - sqrt(rho))^2)``, and 1 where the root turns negative.
    """
    gap = np.sqrt(np.log(1 / alarm)) - np.sqrt(rho)
    return np.exp(-(np.maximum(gap, 0.0) ** 2))
