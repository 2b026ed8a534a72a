"""What a budget means in plain words, in a formula and in numbers: the attacker before and after.

The bounds are proved in docs/theory/attackers-odds.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure
from geomdp.report.markup import Html
from geomdp.typing import Array

#: Beliefs, or rates of false alarms, at which the tables are made.
PRIORS, ALARMS = (0.01, 0.1, 0.5), (0.01, 0.05, 0.1)


@dataclass(frozen=True)
class Meaning:
    """A budget explained.

    Attributes
    ----------
    name
        The kind of promise.
    plain
        What it means, without symbols.
    formula
        The definition, as HTML of our own.
    before, after
        Names of the two quantities that ``bound`` relates.
    at
        Values of the first at which a table is made.
    bound
        Largest value of the second that the budget allows.
    """

    name: str
    plain: str
    formula: Html
    before: str
    after: str
    at: tuple[float, ...]
    bound: Callable[[Array], Array]


_ROC = (
    "Suppose that an attacker knows every record but one, and must decide from the release which "
    "of two values that record has. "
)


def _told_apart(name: str, plain: str, formula: Html, power: Callable[[Array], Array]) -> Meaning:
    """Explain a budget by how well two values of one record can be told apart."""
    names = ("wrongly accused", "rightly found, at most")
    return Meaning(name, f"{_ROC}{plain}", formula, *names, ALARMS, power)


@singledispatch
def meaning(budget: Budget) -> Meaning:
    """Explain a budget.

    Examples
    --------
    >>> explained = meaning(Pure(epsilon=1))
    >>> explained.bound(np.array([0.5])).round(3).tolist()
    [0.731]
    """
    raise TypeError(f"No words for {type(budget).__name__}.")


def reading(explained: Meaning) -> str:
    """Say what the first row of the table means, in one sentence.

    >>> reading(meaning(Pure(epsilon=1)))[:59]
    'Someone who thought a statement about one person 1% likely '
    """
    first = explained.at[0]
    last = explained.bound(np.array([first]))[0]
    if explained.before.startswith("belief"):
        return (
            f"Someone who thought a statement about one person {share(first)} likely may, after "
            f"seeing the release, think it at most {share(last)} likely, even if everyone else's "
            "record is known."
        )
    return (
        f"An attacker who accepts to accuse wrongly in {share(first)} of cases finds the truth in "
        f"at most {share(last)} of cases, even if everyone else's record is known."
    )


def share(x: float) -> str:
    """Write a probability as people read it.

    >>> share(0.0123456)
    '1.23%'
    """
    return f"{100 * float(x):.3g}%"


def _factor(epsilon: float) -> str:
    """e^epsilon in figures, as long as people would read them."""
    return f"{np.exp(epsilon):.3g}" if epsilon < 20 else f"e^{epsilon:.6g}"


@meaning.register
def _(budget: Pure) -> Meaning:
    return Meaning(
        name="pure differential privacy",
        plain="Suppose that an attacker knows every record but one, and has a belief about that "
        "one. Whatever is released, the odds of that belief grow or shrink by a factor of at most "
        f"{_factor(budget.epsilon)}, and this holds for any belief and any side knowledge.",
        formula=Html(
            "P[M(D) ∈ S] ≤ e<sup>ε</sup> · P[M(D′) ∈ S] for all S and all neighbours D, D′; "
            f"ε = {budget.epsilon:.6g}"
        ),
        before="belief before",
        after="belief after, at most",
        at=PRIORS,
        bound=lambda prior: posterior(prior, budget.epsilon),
    )


@meaning.register
def _(budget: Approximate) -> Meaning:
    return _told_apart(
        name="approximate differential privacy",
        plain=f"The release tells no more than this: with probability {budget.delta:.3g} it "
        "gives the answer away, and otherwise the odds of any belief grow or shrink by a factor "
        f"of at most {_factor(budget.epsilon)}.",
        formula=Html(
            "P[M(D) ∈ S] ≤ e<sup>ε</sup> · P[M(D′) ∈ S] + δ for all S and all neighbours D, D′; "
            f"ε = {budget.epsilon:.6g}, δ = {budget.delta:.6g}"
        ),
        power=lambda alarm: approximate_power(alarm, budget.epsilon, budget.delta),
    )


@meaning.register
def _(budget: GDP) -> Meaning:
    return _told_apart(
        name="Gaussian differential privacy",
        plain="That is at least as hard as telling two bell curves of width 1, a distance "
        f"{budget.mu:.3g} apart, from a single draw.",
        formula=Html(
            "P[M(D) ∈ S] ≤ Φ(Φ<sup>−1</sup>(P[M(D′) ∈ S]) + μ) for all S and all neighbours D, D′; "
            f"μ = {budget.mu:.6g}"
        ),
        power=lambda alarm: gaussian_power(alarm, budget.mu),
    )


@meaning.register
def _(budget: ZCDP) -> Meaning:
    return _told_apart(
        name="zero-concentrated differential privacy",
        plain="Two releases whose laws are this close cannot be told apart more reliably "
        "than the table says.",
        formula=Html(
            "D<sub>a</sub>(M(D) ‖ M(D′)) ≤ ρ·a for all orders a &gt; 1 and all neighbours D, D′ "
            f"(Rényi divergence); ρ = {budget.rho:.6g}"
        ),
        power=lambda alarm: concentrated_power(alarm, budget.rho),
    )


def posterior(prior: Array, epsilon: float) -> Array:
    """Largest belief after a purely private release: ``e^eps p / (1 + (e^eps - 1) p)``.

    Examples
    --------
    >>> posterior(np.array([0.01, 0.5]), np.log(3)).round(4).tolist()
    [0.0294, 0.75]
    """
    # Divided by e^eps, which may overflow.
    return prior / (prior + np.exp(-epsilon) * (1 - prior))


def approximate_power(alarm: Array, epsilon: float, delta: float) -> Array:
    """Largest power of a test with this rate of false alarms, for (epsilon, delta).

    Examples
    --------
    >>> approximate_power(np.array([0.1, 0.9]), np.log(2), 0.01).round(4).tolist()
    [0.21, 0.955]
    """
    with np.errstate(over="ignore"):
        rising = np.exp(epsilon) * alarm + delta
    return np.clip(np.minimum(rising, 1 - np.exp(-epsilon) * (1 - delta - alarm)), 0, 1)


def gaussian_power(alarm: Array, mu: float) -> Array:
    """Largest power of a test with this rate of false alarms, for mu-GDP.

    Examples
    --------
    >>> gaussian_power(np.array([0.5]), 1.0).round(4).tolist()
    [0.8413]
    """
    from scipy.special import ndtr, ndtri

    return np.asarray(ndtr(ndtri(alarm) + mu))


def concentrated_power(alarm: Array, rho: float) -> Array:
    """Bound on the power of a test with this rate of false alarms, for rho-zCDP.

    ``exp(-(sqrt(log(1/alarm)) - sqrt(rho))^2)``, and 1 where the root turns negative.

    Examples
    --------
    >>> concentrated_power(np.array([0.01, 0.9]), 0.25).round(4).tolist()
    [0.0666, 1.0]
    """
    gap = np.sqrt(np.log(1 / alarm)) - np.sqrt(rho)
    return np.exp(-(np.maximum(gap, 0.0) ** 2))
