"""Whether the numbers of a plan keep its claim in exact arithmetic, without any draw."""

from fractions import Fraction

import numpy as np

from geomdp.audit.claims import probability_bounds
from geomdp.audit.findings import Finding, judged
from geomdp.audit.losses import footpoint
from geomdp.audit.neighbours import public_radius, record_at
from geomdp.audit.sampling import FloatSystemEntropy
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.kng import kng_law
from geomdp.mechanisms.wrapped import works_in_coordinates
from geomdp.plans import SinglePlan
from geomdp.privacy import GaussianCost
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

#: Factor on the sensitivity that the proof of each mechanism asks for.
FACTORS = {"laplace": 1, "wrapped-laplace": 1, "linear-laplace": 1, "exponential": 1, "kng": 2}
#: Positions along a diameter that are tried for the exact movement of the mean.
POSITIONS = 200
#: Proposals that estimate the acceptance of fixed tries.
PROPOSALS = 4000


def calibration_findings(suspects: Suspects) -> list[Finding]:
    """Return what exact arithmetic finds out."""
    plan = suspects.plan
    found = [_scale_finding(plan)]
    if plan.statistic.needs_n and _adds_to_floats(plan):
        found.append(_movement_finding(plan))
    if plan.calibration.tries is not None:
        found.append(_tries_finding(suspects))
    return found


def _scale_finding(plan: SinglePlan) -> Finding:
    """Compare scale times budget with sensitivity times factor as fractions."""
    facts, scale = plan.calibration.facts, Fraction(plan.scale)
    sensitivity = Fraction(plan.sensitivity.value)
    if isinstance(plan.calibration.cost, GaussianCost):
        # Curved laws need more than this; flat ones exactly this.
        needed, available = sensitivity, scale * Fraction(repr(plan.calibration.cost.mu))
        claim = "sensitivity at most mu times scale"
        needed = needed if plan.mechanism != "riemannian-gaussian" else Fraction(0)
    elif plan.mechanism not in FACTORS and "factor" not in facts:
        note = f"{plan.mechanism} states no factor of its proof among its facts"
        return Finding("scale", "that of the mechanism's proof", "no formula", "report", note)
    else:
        factor = Fraction(FACTORS.get(plan.mechanism, float(facts.get("factor", 1.0))))
        needed, available = factor * sensitivity, scale * plan.calibration.request.epsilon
        claim = f"{float(factor):.4g} times sensitivity at most epsilon times scale"
    kept = available >= needed
    found = "kept" if kept else f"missed by {float(1 - available / needed):.2g} of it"
    return Finding("scale", claim, found, judged(kept), "in exact fractions")


def _adds_to_floats(plan: SinglePlan) -> bool:
    """Whether noise is added to the exact mean of a linear statistic, rounded to floats."""
    if plan.mechanism == "wrapped-laplace":
        return plan.statistic.as_linear() is not None
    return plan.mechanism == "laplace" and works_in_coordinates(plan.calibration.request)


def _movement_finding(plan: SinglePlan) -> Finding:
    """Move one record from end to end, for many positions of the others; exact squares."""
    axis = np.eye(1, plan.calibration.request.statistic.space.dim)[0]  # type: ignore[attr-defined]
    ends = plan.statistic.admit(record_at(plan, public_radius(plan) * np.stack([-axis, axis])))
    squares = []
    for k in np.unique(np.linspace(0, plan.n - 1, POSITIONS).astype(int)).tolist():
        sides = ((np.arange(plan.n) < high).astype(int) for high in (k, k + 1))
        here, there = (footpoint(plan, Encoded.of(ends.records[side])) for side in sides)
        squares.append(_square_apart(here, there))
    worst, allowed = max(squares), Fraction(plan.sensitivity.value) ** 2
    return Finding(
        "movement of the computed mean",
        f"at most {plan.sensitivity.value:.17g}",
        f"{float(worst) ** 0.5:.17g}",
        judged(worst <= allowed),
        f"{len(squares)} positions along a diameter, compared in exact fractions",
        {"over": float(worst / allowed) ** 0.5},
    )


def _square_apart(here: Array, there: Array) -> Fraction:
    both = zip(here.tolist(), there.tolist(), strict=True)
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in both), Fraction(0))


def _tries_finding(suspects: Suspects) -> Finding:
    """Propose on the worst data sets, and bound the probability that all tries fail."""
    plan = suspects.plan
    tries, budget = int(plan.calibration.tries or 0), plan.guarantee.budget
    law = kng_law(plan.calibration, Encoded.of(np.asarray(suspects.worst.first)))
    u = FloatSystemEntropy().uniforms((PROPOSALS, law.uniforms + 1))
    ratio, _ = law.propose(u[:, 1:])
    hits = int(np.sum(np.log(u[:, 0]) < ratio))
    _, high = probability_bounds(np.array(hits), PROPOSALS, suspects.settings.miss)
    epsilon, delta = (float(part) for part in budget.parts)
    lost = float(np.exp(epsilon + tries * np.log1p(-min(float(high), 1 - 1e-12))))
    return Finding(
        "fixed tries",
        f"e^epsilon times the probability that {tries} tries fail is at most {delta:.3g}",
        f"at least {lost:.3g}",
        judged(lost <= delta),
        f"{hits} of {PROPOSALS} proposals accepted; {suspects.worst.name}",
        {"claim": delta, "bound": lost, "acceptance": hits / PROPOSALS},
    )
