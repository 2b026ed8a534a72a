"""The floating-point attack: nothing finer than the public grid may reach a release."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.audit.events import Outcome, as_features, exact_draws
from geomdp.audit.findings import Finding, judged
from geomdp.audit.neighbours import Pair, as_data
from geomdp.audit.suspects import Suspects
from geomdp.noise import entropy
from geomdp.plans import SinglePlan
from geomdp.releases.verification.values import on_grid
from geomdp.typing import Array

#: Other bytes that are tried.
OTHERS = 20


def float_findings(suspects: Suspects) -> list[Finding]:
    """Return the findings on the grid, on low-order bits, and on where the noise comes from."""
    plan, size = suspects.plan, suspects.settings.exact
    pair = fine_pair(suspects.pairs)
    values = [exact_draws(plan, encoded, size) for encoded in (pair.first, pair.second)]
    return [
        _grid_finding(plan, np.concatenate(values)),
        _bits_finding(suspects, pair, values),
        _entropy_finding(plan),
    ]


def fine_pair(found: list[Pair]) -> Pair:
    """Means at the centre and a little off: floats near 0 carry finer bits than others."""
    return next((pair for pair in found if pair.alone), found[0])


def _grid_finding(plan: SinglePlan, values: Array) -> Finding:
    answers = [on_grid(plan, value) for value in values]
    off, unknown = answers.count(False), answers.count(None)
    note = f"{unknown} beyond what floats resolve" if unknown else "coordinates taken again"
    found = f"{off} of {len(values)} off the grid"
    claim = "every value on the public grid"
    return Finding("grid", claim, found, judged(off == 0), note, {"off": float(off)})


def lowest_bits(x: Array) -> Array:
    """Exponent of the lowest bit that is set in each float."""
    mantissa, exponent = np.frexp(x)
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    trailing = np.log2((digits & -digits).astype(float), where=digits != 0, out=np.zeros(x.shape))
    return np.where(digits == 0, 1100, exponent - 53 + trailing.astype(np.int64))


@dataclass(frozen=True)
class BitsEvent:
    """The event "number ``column`` of a value has bits at or below 2^``level``" on two data sets.

    ``outcome`` counts it on the one that it points to, first, and on the other.
    """

    column: int
    level: int
    outcome: Outcome


def attack_bits(claim: Claim, values: list[Array], miss: float) -> BitsEvent:
    """Search the low-order bits that tell two data sets apart in half of the draws of each.

    What they prove is tested on the other half, so that the search costs no confidence.
    """
    bits = [lowest_bits(as_features(part)) for part in values]
    half = len(bits[0]) // 2
    best = (-1.0, 0, 0, 0)
    for column in range(bits[0].shape[1]):
        for level in np.unique(bits[0][:half, column]).tolist():
            counts = [int(np.sum(b[:half, column] <= level)) for b in bits]
            for side in (0, 1):
                bound = claim.lower_bound(
                    np.array(counts[side]), np.array(counts[1 - side]), half, miss
                )
                best = max(best, (float(bound), column, level, side))
    _, column, level, side = best
    counts = [int(np.sum(b[half:, column] <= level)) for b in bits]
    size = len(bits[0]) - half
    proved = claim.lower_bound(np.array(counts[side]), np.array(counts[1 - side]), size, miss)
    return BitsEvent(column, level, Outcome(float(proved), counts[side], counts[1 - side], size))


def _bits_finding(suspects: Suspects, pair: Pair, values: list[Array]) -> Finding:
    claim = suspects.claim
    event = attack_bits(claim, values, suspects.settings.miss)
    bound, told = event.outcome.bound, event.outcome.counts()
    return Finding(
        "low-order bits",
        str(claim),
        f"{claim.kind} at least {bound:.4g}",
        judged(bound <= claim.value),
        f"number {event.column} of a value has bits below 2^{event.level + 1}: {told}; {pair.name}",
        {"claim": claim.value, "bound": bound},
    )


@contextmanager
def replayed(seed: int) -> Iterator[None]:
    """Hand the package bytes that repeat in place of the operating system's; NOT private.

    Only :mod:`geomdp.noise.entropy` sees them.
    """
    system = SimpleNamespace(urandom=np.random.default_rng(seed).bytes)
    with patch.object(entropy, "os", system):
        yield


def _entropy_finding(plan: SinglePlan) -> Finding:
    """Release the public record on the same bytes twice, and on others until it differs."""
    width = plan.statistic.vector_dim
    needed = plan.statistic.needs_n
    records = (
        plan.statistic.records_at(np.zeros((plan.n, width)))
        if needed
        else plan.statistic.public_record
    )

    def released(seed: int) -> Array:
        with replayed(seed):
            return np.asarray(plan.release(as_data(plan, records)).value)

    first = released(1)
    repeats = np.array_equal(first, released(1))
    # A radius of few may come out again; not many times.
    differs = any(not np.array_equal(first, released(seed)) for seed in range(2, 2 + OTHERS))
    found = {
        (True, True): "a function of the system's bytes",
        (True, False): "the same value for other bytes",
        (False, True): "another value for the same bytes",
        (False, False): "random, but not by the system's bytes",
    }[repeats, differs]
    claim = "noise from the operating system alone"
    return Finding("source of the noise", claim, found, judged(repeats and differs), "replayed")
