"""Audit a plan: attack it on public data, and compare what was found with what it claims."""

from geomdp.audit.findings import Audit as Audit
from geomdp.audit.findings import Finding as Finding
from geomdp.audit.findings import Settings as Settings
from geomdp.audit.neighbours import Pair as Pair
from geomdp.audit.neighbours import pairs as pairs
from geomdp.audit.run import CHECKS as CHECKS
from geomdp.audit.run import audit_all as audit_all
from geomdp.audit.run import audit_plan as audit_plan
from geomdp.audit.suspects import law_of as law_of
from geomdp.mechanisms.pair_law import PairLaw as PairLaw
