"""Whether the numbers of a plan keep its claim in exact arithmetic, without any draw."""

from fractions import Fraction

import numpy as np

from geomdp.audit.claims import probability_bounds
from geomdp.audit.events import FloatSystemEntropy
from geomdp.audit.findings import Finding, judged
from geomdp.audit.neighbours import public_radius
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.wrapped import float_means
from geomdp.noise.rejection import Law
from geomdp.plans import SinglePlan
from geomdp.privacy import GDP
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array

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
    law = plan._mechanism.proposals(plan.calibration, suspects.worst.sets[0])
    if law is not None:
        found.append(_tries_finding(suspects, law))
    return found


def _scale_finding(plan: SinglePlan) -> Finding:
    """Compare scale times budget with sensitivity times the proof's factor as fractions."""
    ratio, cost = plan._mechanism.least_ratio(plan.calibration), plan.calibration.cost
    if ratio is None:
        note = f"{plan.mechanism} states no factor of its proof among its facts"
        return Finding("scale", "that of the mechanism's proof", "no formula", "report", note)
    scale, needed = Fraction(plan.scale), Fraction(ratio) * Fraction(plan.sensitivity.value)
    if cost is not None and cost.largest_loss() is None:
        # Curved laws need more than this; flat ones exactly this.
        available, claim = scale * Fraction(repr(cost.price(GDP).mu)), "mu times scale"
    else:
        available, claim = scale * plan.calibration.request.epsilon, "epsilon times scale"
    kept = available >= needed
    found = "kept" if kept else f"missed by {float(1 - available / needed):.2g} of it"
    claim = f"{ratio:.4g} times sensitivity at most {claim}"
    return Finding("scale", claim, found, judged(kept), "in exact fractions")


def _adds_to_floats(plan: SinglePlan) -> bool:
    """Whether Laplace noise is added to the exact mean of points, rounded to floats."""
    mechanism, space = plan._mechanism, plan.statistic.value_space
    linear = mechanism.coordinates(plan.calibration)
    exact = plan.statistic.as_linear() is not None and linear is not None
    return exact and space is not None and mechanism.heavy


def _movement_finding(plan: SinglePlan) -> Finding:
    """Move one record from end to end, for many positions of the others; exact squares."""
    axis = np.eye(1, plan.statistic.vector_dim)[0]
    ends = plan.statistic.admit(
        plan.statistic.records_at(public_radius(plan) * np.stack([-axis, axis]))
    )
    squares = []
    for k in np.unique(np.linspace(0, plan.n - 1, POSITIONS).astype(int)).tolist():
        sides = ((np.arange(plan.n) < high).astype(int) for high in (k, k + 1))
        sets = (Encoded.of(ends.records[side]) for side in sides)
        squares.append(_square_apart(*float_means(plan.calibration, *sets)))
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


def _tries_finding(suspects: Suspects, law: Law) -> Finding:
    """Propose on the worst data sets, and bound the probability that all tries fail."""
    plan = suspects.plan
    tries, budget = int(plan.calibration.tries or 0), plan.guarantee.budget
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
