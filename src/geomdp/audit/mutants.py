"""Plans broken on purpose: each mistake was made somewhere, and the audit must catch them all.

NOT private, none of them. They test the audit, which would else be trusted for its silence.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from geomdp.audit.events import FloatSystemEntropy
from geomdp.audit.findings import Audit, Finding, Settings, judged
from geomdp.audit.run import Check, audit_plan
from geomdp.mechanisms import Calibration, Mechanism
from geomdp.mechanisms.ball_acceptance import tries_needed
from geomdp.mechanisms.laplace import Laplace
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.plans import SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy import GDP, Approximate, Pure
from geomdp.spaces import SPD, Ball, Euclidean, Sphere
from geomdp.spaces.admission import Admitted
from geomdp.statistics import CoverRadius, FrechetMean
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.moments import Moments
from geomdp.typing import Array

RADIUS = np.pi / 8
N = 50


@dataclass(frozen=True)
class Mutant:
    """A broken plan, and the check that has to notice.

    ``check`` is the part of the audit that must fail.
    """

    name: str
    mistake: str
    make: Callable[[], SinglePlan]
    check: Check


def sphere_plan(
    mechanism: str = "laplace", statistic: type[FrechetMean] = FrechetMean
) -> SinglePlan:
    """Return a sound plan on a sphere, from which most mutants are made."""
    ball = Ball(Sphere(2), np.array([0.0, 0.0, 1.0]), RADIUS)
    return plan(statistic(ball), n=N, budget=Pure(1), mechanism=mechanism)


def spd_plan(statistic: type[FrechetMean] = FrechetMean) -> SinglePlan:
    """Return a sound plan for positive definite matrices."""
    return plan(statistic(Ball(SPD(2), np.eye(2), 1.0)), n=N, budget=Pure(1), mechanism="laplace")


def flat_plan(mechanism: str = "laplace", n: int = N) -> SinglePlan:
    """Return a sound plan on a flat space."""
    return plan(
        FrechetMean(Ball(Euclidean(2), np.zeros(2), 1.0)), n=n, budget=Pure(1), mechanism=mechanism
    )


def kng_plan() -> SinglePlan:
    """Return a sound plan with a fixed number of tries."""
    ball = Ball(Euclidean(2), np.zeros(2), 1.0)
    return plan(FrechetMean(ball), n=N, budget=Approximate(1, 1e-6), mechanism="kng")


# --- mechanisms -------------------------------------------------------------------------------


def _drawn_by(mechanism: Mechanism, made: SinglePlan) -> SinglePlan:
    return SinglePlan(mechanism, made.calibration, made.forecast)


class SmallNoise(Laplace):
    """Draws with half the scale that the plan states."""

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        small = replace(calibration, scale=calibration.scale / 2)
        return super().draw(small, encoded, entropy, size)


class DataRadius(Laplace):
    """Takes the radius, and so the scale, from the records."""

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        ball = calibration.ball
        share = float(np.max(ball.space.dist(ball.center, np.asarray(encoded)))) / ball.radius
        scale = calibration.scale * max(share, 1e-3)
        return super().draw(replace(calibration, scale=scale), encoded, entropy, size)


class FloatSampler(Laplace):
    """Draws in floats and publishes every bit of them."""

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        return super().draw(calibration, encoded, FloatSystemEntropy(), size)


class SeededGenerator(Laplace):
    """Starts a generator from a seed."""

    def draw(  # noqa: D102
        self, calibration: Calibration, encoded: Encoded, entropy: Entropy, size: int = 1
    ) -> Array:
        return super().draw(calibration, encoded, SeededEntropy(7, exact=entropy.exact), size)


def _restricted() -> SinglePlan:
    made = sphere_plan("laplace-ball")
    small = replace(made.calibration, scale=made.sensitivity.value)
    return replace(made, calibration=small)


# --- statistics -------------------------------------------------------------------------------


class Unclipped(FrechetMean):
    """Lets records in wherever they lie."""

    def admit(self, records: Any) -> Admitted:  # noqa: D102
        return Admitted(*self.space.parse(records, instead=self.ball.center))


class ClippedInSinglePrecision(FrechetMean):
    """Rounds clipped records to single precision, which puts some outside the ball."""

    def admit(self, records: Any) -> Admitted:  # noqa: D102
        admitted = super().admit(records)
        return Admitted(admitted.records.astype(np.float32).astype(float), admitted.invalid)


class CentreFallback(FrechetMean):
    """Falls back on the centre if a record at the boundary spoils the solver's certificate."""

    def estimate(self, encoded: Array, tolerance: float) -> Array:  # noqa: D102
        farthest = float(np.max(self.space.dist(self.ball.center, encoded)))
        spoiled = farthest > self.ball.radius * (1 - 1e-9)
        return self.ball.center if spoiled else super().estimate(encoded, tolerance)


# --- calibrations -----------------------------------------------------------------------------


def _midpoint_alpha() -> SinglePlan:
    """Believe an acceptance of .95, as midpoints too coarse for the scale once claimed."""
    made = kng_plan()
    tries = int(tries_needed(0.95, *made.guarantee.budget.parts))
    return replace(made, calibration=replace(made.calibration, tries=tries))


def _rounded_down() -> SinglePlan:
    """Divide sensitivity by epsilon and round to the float below."""
    made = sphere_plan()
    exact = Fraction(made.sensitivity.value) / made.guarantee.budget.parts[0]
    scale = float(np.nextafter(float(exact), 0.0))
    return replace(made, calibration=replace(made.calibration, scale=scale))


def _rounding_left_out() -> SinglePlan:
    """Leave out that the exact mean becomes the nearest floats."""
    made = flat_plan(n=47)
    bare = replace(made.sensitivity, value=2.0 / 47)
    return replace(made, calibration=replace(made.calibration, sensitivity=bare, scale=bare.value))


# --- balls and moments ------------------------------------------------------------------------


class TwoSidedScore(CoverRadius):
    """Scores a radius by how far its number of records is from the wanted one, on either side."""

    def shortfalls(self, encoded: Any) -> list[int]:  # noqa: D102
        depths = np.concatenate([np.asarray(chunk) for chunk in as_encoded(encoded).chunks()])
        held = [int(np.sum(depths >= j)) for j in range(self.steps + 1)]
        return [abs(len(depths) - self.outside - count) for count in held]


class ThinCovariance(Moments):
    """Adds noise of r s_m to the second moment, in place of sqrt(2) r s_m."""

    @property
    def noise_profile(self) -> Array:  # noqa: D102
        profile = super().noise_profile
        return np.where(np.arange(profile.size) < self.dim, profile, profile / np.sqrt(2.0))


def radius_plan(statistic: type[CoverRadius] = CoverRadius) -> SinglePlan:
    """Return a sound plan of a radius stage."""
    asked = statistic(Sphere(2), np.array([0.0, 0.0, 1.0]), top=3.0, steps=12, outside=2)
    return plan(asked, n=N, budget=Pure(1))


def moments_plan(statistic: type[Moments] = Moments) -> SinglePlan:
    """Return a sound plan of a mean and a covariance."""
    ball = Ball(Sphere(2), np.array([0.0, 0.0, 1.0]), RADIUS)
    return plan(statistic(ball), n=N, budget=GDP(1))


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "two-sided score",
        "scores radii on both sides, at the price of one",
        lambda: radius_plan(TwoSidedScore),
        "records",
    ),
    Mutant(
        "thin covariance noise",
        "noise of r times the mean's on the second moment",
        lambda: moments_plan(ThinCovariance),
        "records",
    ),
    Mutant(
        "wrong scale",
        "draws with less noise than stated",
        lambda: _drawn_by(SmallNoise(), sphere_plan()),
        "likelihood",
    ),
    Mutant(
        "no clipping",
        "records stay where they are",
        lambda: sphere_plan(statistic=Unclipped),
        "records",
    ),
    Mutant(
        "data-driven radius",
        "the scale follows the farthest record",
        lambda: _drawn_by(DataRadius(), sphere_plan()),
        "blind",
    ),
    Mutant(
        "restricted law with Delta/eps",
        "forgets that the constant of a restricted law moves",
        _restricted,
        "likelihood",
    ),
    Mutant(
        "float sampler",
        "publishes floats of a float sampler",
        lambda: _drawn_by(FloatSampler(), sphere_plan()),
        "floats",
    ),
    Mutant(
        "seeded generator",
        "noise from a seed",
        lambda: _drawn_by(SeededGenerator(), sphere_plan()),
        "floats",
    ),
    Mutant(
        "float32 clip",
        "rounds clipped records to single precision",
        lambda: sphere_plan(statistic=ClippedInSinglePrecision),
        "records",
    ),
    Mutant(
        "centre fallback",
        "releases the centre where the solver fails",
        lambda: spd_plan(CentreFallback),
        "records",
    ),
    Mutant(
        "midpoint alpha",
        "believes too high an acceptance, and tries too seldom",
        _midpoint_alpha,
        "calibration",
    ),
    Mutant(
        "scale rounded down",
        "rounds the quotient of sensitivity and epsilon to the float below",
        _rounded_down,
        "calibration",
    ),
    Mutant(
        "rounding term left out",
        "forgets that the exact mean is rounded to floats",
        _rounding_left_out,
        "calibration",
    ),
)

#: Sound plans that must pass what the mutants fail.
SOUND: dict[str, Callable[[], SinglePlan]] = {
    "laplace on a sphere": sphere_plan,
    "laplace-ball on a sphere": lambda: sphere_plan("laplace-ball"),
    "laplace on matrices": spd_plan,
    "laplace on a flat space": lambda: flat_plan(n=47),
    "kng with fixed tries": kng_plan,
    "radius of a ball": radius_plan,
    "mean and covariance": moments_plan,
}


# --- the audit catches plans that are broken on purpose, and lets sound ones pass


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
