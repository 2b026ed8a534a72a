"""Audit a plan: attack it on public data, and compare what was found with what it claims."""

from geomdp.audit.findings import Audit, Finding, Settings
from geomdp.audit.neighbours import Pair, pairs
from geomdp.audit.run import CHECKS, audit_all, audit_plan
from geomdp.audit.suspects import law_of
from geomdp.mechanisms.pair_law import PairLaw

__all__ = [
    "CHECKS",
    "Audit",
    "Finding",
    "Pair",
    "PairLaw",
    "Settings",
    "audit_all",
    "audit_plan",
    "law_of",
    "pairs",
]
