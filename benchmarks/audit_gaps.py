"""Between the loss of the worst pair found and the claim: what the proof gives away.

By formulas alone, without draws. A claim pays for the exponent; that of a restricted law also for
its constant, which moves with the footpoint, and that of a wrapped one for the stretch of the log.
"""

from geomdp.audit import Settings
from geomdp.audit.claims import claim_of
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.pair_law import largest_loss
from geomdp.plans import SinglePlan

GAP_HEAD = (
    "mechanism",
    "space",
    "claim",
    "loss of the worst pair",
    "exponent, of what the claim pays",
    "constant, of what the claim pays",
    "most of any two footpoints",
)
#: Pairs that attain this part of their claim leave no gap to explain.
ATTAINED = 0.999


def gap(space: str, made: SinglePlan) -> list[str]:
    """Return the row of a plan; nothing where formulas do not tell, or where there is no gap."""
    suspects = Suspects(made, Settings())
    claim = claim_of(made).value
    if any(law.constant is None for law in suspects.laws):
        return []
    loss = max(suspects.losses)
    law = suspects.laws[suspects.losses.index(loss)]
    if loss >= ATTAINED * claim:
        return []
    paid = claim / float(made.calibration.facts.get("factor", 1.0))
    restricted = any(law.constant != 0 for law in suspects.laws)
    stretch = "" if restricted or paid == claim else f" + {claim - paid:.3f} for the stretch"
    return [
        made.mechanism,
        space,
        f"{claim:.3g}",
        f"{loss:.3f}",
        f"{law.size:.3f} of {paid:.3f}{stretch}",
        f"{abs(law.constant or 0.0):.3f} of {claim - paid:.3f}" if restricted else "",
        f"{_most(made):.3f}" if restricted else f"{claim:.3f}",
    ]


def _most(made: SinglePlan) -> float:
    """Largest loss of any two footpoints of the ball a sensitivity apart."""
    fitted = made.calibration
    return largest_loss(fitted.ball, fitted.sensitivity.value, fitted.scale)
