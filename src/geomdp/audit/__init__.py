"""Audit a plan: attack it on public data, and compare what was found with what it claims."""

from geomdp.audit.findings import Audit, Finding
from geomdp.audit.losses import PairLaw, law_of
from geomdp.audit.neighbours import Pair, pairs
from geomdp.audit.run import CHECKS, audit_plan
from geomdp.audit.settings import Settings

__all__ = [
    "CHECKS",
    "Audit",
    "Finding",
    "Pair",
    "PairLaw",
    "Settings",
    "audit_plan",
    "law_of",
    "pairs",
]
