"""The audit catches plans that are broken on purpose, and lets sound ones pass."""

from collections.abc import Callable

from geomdp.audit.findings import Audit, Finding, judged
from geomdp.audit.mutants import MUTANTS, SOUND, Mutant
from geomdp.audit.run import audit_plan
from geomdp.audit.settings import Settings


def self_test(
    settings: Settings | None = None, *, tell: Callable[[str], None] = lambda text: None
) -> Audit:
    """Audit all mutants, each by the check that should notice, and sound plans by all of these."""
    chosen = settings or Settings()
    found = []
    for mutant in MUTANTS:
        tell(mutant.name)
        found.append(mutant_finding(mutant, chosen))
    for name in SOUND:
        tell(name)
        found.append(sound_finding(name, chosen))
    return Audit(
        "self-test of the audit", "every mutant caught, every sound plan passed", tuple(found)
    )


def mutant_finding(mutant: Mutant, settings: Settings) -> Finding:
    """Audit one mutant."""
    failures = audit_plan(mutant.make(), settings, checks=[mutant.check]).failures()
    caught = "; ".join(f"{f.check}: {f.found}" for f in failures)
    return Finding(
        f"mutant: {mutant.name}",
        "caught",
        f"caught by {caught}" if failures else "NOT caught",
        judged(bool(failures)),
        mutant.mistake,
    )


def sound_finding(name: str, settings: Settings) -> Finding:
    """Audit one sound plan by every check that a mutant needs."""
    checks = tuple(dict.fromkeys(mutant.check for mutant in MUTANTS))
    audit = audit_plan(SOUND[name](), settings, checks=checks)
    wrong = "; ".join(f"{f.check}: {f.found}" for f in audit.failures())
    return Finding(f"sound: {name}", "passes", wrong or "passes", judged(audit.passed))
