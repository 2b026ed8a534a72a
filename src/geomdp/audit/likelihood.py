"""Likelihood-ratio audit on the worst pair found, and the same without any knowledge of the law."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.audit.events import Outcome, best_event, blind_scores, exact_draws
from geomdp.audit.findings import Finding, Settings, judged
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.pair_law import PairLaw
from geomdp.plans import SinglePlan
from geomdp.typing import Array

#: Up to this dimension the tested event should come close to the exact loss.
LOW_DIMENSION = 5
#: Covers the rounding of the exact loss itself.
UP_TO_ROUNDING = 1 + 1e-9
#: A classifier learns little from more draws than this.
BLIND_DRAWS = 100_000
NOTHING: Mapping[str, float] = MappingProxyType({})


def likelihood_findings(suspects: Suspects) -> list[Finding]:
    """Return the loss of the worst pair, and what draws in floats and exact ones prove of it."""
    plan, settings = suspects.plan, suspects.settings
    if not suspects.laws:
        return [_no_formula(suspects)]
    claim, pair = suspects.claim, suspects.shown
    law = suspects.laws[suspects.pairs.index(pair)]
    exact = [exact_draws(plan, encoded, settings.exact) for encoded in (pair.first, pair.second)]
    scores = [law.log_ratio(values) for values in suspects.draws(pair)]
    exact_scores = [law.log_ratio(values) for values in exact]
    tested = best_event(claim, scores[0], scores[1], settings.miss)
    few = best_event(claim, exact_scores[0], exact_scores[1], settings.miss)
    worst = _loss_finding(suspects)
    deltas = _delta_numbers(law, tested, scores)
    beside = _beside(plan, tested, worst.numbers["loss"], deltas)
    return [
        worst,
        _bound_finding("likelihood ratio", claim, tested, f"{pair.name}; {beside}", deltas),
        _bound_finding("likelihood ratio, exact draws", claim, few, "drawn as a release draws"),
        _same_law_finding(exact_scores[0], scores[0], settings),
    ]


def blind_findings(suspects: Suspects) -> list[Finding]:
    """Return what a classifier proves that knows nothing of the mechanism."""
    settings = suspects.settings
    claim, pair = suspects.claim, suspects.odd
    draws = suspects.draws(pair, BLIND_DRAWS)
    tested = best_event(claim, *blind_scores(*draws), settings.miss)
    note = f"logistic regression; {pair.name}, the pair that pilot draws told apart best"
    return [_bound_finding("blind attack", claim, tested, note)]


def _no_formula(suspects: Suspects) -> Finding:
    """Say that no law is known, rather than one that is not the mechanism's."""
    return Finding(
        "loss of the worst pair",
        str(suspects.claim),
        "no formula",
        "report",
        f"{suspects.plan.mechanism} states no pair_law of two data sets; the blind attack needs "
        "none",
    )


def _loss_finding(suspects: Suspects) -> Finding:
    """Take the loss of the worst pair from its laws; more draws where they have to help."""
    pair = suspects.worst
    claim, law = suspects.claim, suspects.laws[suspects.pairs.index(pair)]
    slack, how = 0.0, "by formula"
    draws = suspects.draws(pair) if law.constant is None else (np.empty(0), np.empty(0))
    exponent, constant = law.parts(*draws)
    loss = exponent + constant
    if law.constant is None:
        slack, how = _slack(law.log_ratio(draws[0])), "largest over draws, constants by draws"
    gap = f"{100 * max(0.0, 1 - loss / claim.value):.1f}% below the claim"
    return Finding(
        "loss of the worst pair",
        str(claim),
        f"{claim.kind} {loss:.6g}",
        judged(loss <= claim.value * UP_TO_ROUNDING + slack),
        f"{pair.name}; {how}; {gap}: what the proof gives away, or the search misses",
        {"claim": claim.value, "loss": loss, "exponent": exponent, "constant": constant},
    )


def _slack(scores: Array) -> float:
    """Six standard errors of a ratio of constants that draws estimated."""
    weights = np.exp(-scores)
    return float(6 * np.std(weights) / np.mean(weights) / np.sqrt(len(weights)))


def _bound_finding(
    name: str, claim: Claim, tested: Outcome, note: str, more: Mapping[str, float] = NOTHING
) -> Finding:
    return Finding(
        name,
        str(claim),
        f"{claim.kind} at least {tested.bound:.4g}",
        judged(tested.bound <= claim.value),
        f"event {tested.counts()}; {note}",
        {"claim": claim.value, "bound": tested.bound, "draws": 2.0 * tested.size, **more},
    )


def _delta_numbers(law: PairLaw, tested: Outcome, scores: list[Array]) -> dict[str, float]:
    """Return the law's delta at the event's own threshold, and what the event showed of it.

    The event is the best for that epsilon: it attains delta, up to the counts' own chance.
    """
    constant = law.constant
    if constant is None:
        constant = float(np.log(np.mean(np.exp(-scores[0]))))
    sign = -1.0 if tested.swapped else 1.0
    epsilon = tested.level + sign * constant
    losses = sign * (scores[1 if tested.swapped else 0] + constant)
    delta = delta_over_draws(losses, epsilon) if law.delta is None else law.delta(epsilon)
    shown = (tested.hits - np.exp(epsilon) * tested.others) / tested.size
    error = np.sqrt(tested.hits + np.exp(2 * epsilon) * tested.others) / tested.size
    return {"epsilon": epsilon, "delta": delta, "shown": float(shown), "error": float(error)}


def delta_over_draws(losses: Array, epsilon: float) -> float:
    """Return delta as the mean of ``max(0, 1 - exp(epsilon - L))``, where no formula is at hand.

    L is the log density ratio at draws of the first law; the event ``L >= epsilon`` attains delta
    (docs/theory/attackers-odds.md). In high dimension nearly all mass has a small L, so that delta
    says how much of a loss any event can show.
    """
    return float(np.mean(np.maximum(0.0, -np.expm1(epsilon - losses))))


def _beside(plan: SinglePlan, tested: Outcome, loss: float, deltas: Mapping[str, float]) -> str:
    """Say how much of the exact loss the event shows, and in high dimension what it could show."""
    dim = getattr(getattr(plan.statistic, "space", None), "dim", 0)
    factor = loss / tested.bound if tested.bound > 0 else float("inf")
    text = (
        "draws in floats, by the function that release calls; "
        f"the worst loss is {factor:.2f} times this"
    )
    if dim <= LOW_DIMENSION:
        return text
    return (
        f"{text}; in dimension {dim} the law's delta at the event's epsilon "
        f"{deltas['epsilon']:.3g} is {deltas['delta']:.3g}, and the event showed "
        f"{deltas['shown']:.3g} +- {deltas['error']:.2g}"
    )


def _same_law_finding(exact: Array, floats: Array, settings: Settings) -> Finding:
    """Compare exact draws with draws in floats by a Kolmogorov-Smirnov test of their losses."""
    both = np.sort(np.concatenate([exact, floats]))
    shares = (np.searchsorted(np.sort(s), both, side="right") / len(s) for s in (exact, floats))
    gap = float(np.max(np.abs(np.subtract(*shares))))
    size = len(exact) * len(floats) / (len(exact) + len(floats))
    allowed = float(np.sqrt(-np.log(settings.miss) / (2 * size)))
    return Finding(
        "exact and float draws agree",
        f"gap at most {allowed:.3g}",
        f"gap {gap:.3g}",
        judged(gap <= allowed),
        f"Kolmogorov-Smirnov on the losses of {len(exact)} exact and {len(floats)} float draws",
        {"gap": gap, "allowed": allowed},
    )
