"""Exact rejection sampling: one description of a law, drawn in floats or decided with proof."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from geomdp.intervals import decide, dyadic, elementwise, less, nearest_integer
from geomdp.noise.entropy import Entropy, UniformReals
from geomdp.typing import Array

#: Float rounding allowed in a log acceptance ratio before the envelope counts as broken.
ENVELOPE_SLACK = 1e-8


class Law(Protocol):
    """A distribution that proposes from uniform numbers and says how likely to accept."""

    @property
    def uniforms(self) -> int:
        """Number of uniforms a proposal uses."""

    def propose(self, u: Array) -> tuple[Array, Array]:
        """Return log acceptance ratios (at most 0) and candidates, for a batch of uniforms."""

    def finish(self, candidate: Array) -> Array:
        """Return the point that belongs to an accepted candidate."""


class BrokenEnvelopeError(AssertionError):
    """A proposal density fell below its target: what is drawn in floats must not hide that."""


def round_to_grid(x: Array, exponent: int) -> Array:
    """Nearest multiples of ``2**exponent``, as integers, with proof."""
    step = dyadic(1, -exponent)
    return elementwise(lambda value: nearest_integer(value * step), x)


def try_once(law: Law, entropy: Entropy) -> UniformReals | None:
    """Propose once and decide with proof: the numbers of an accepted proposal, else None.

    A ratio above 0, which the proofs of the envelopes exclude, counts as accepted: an exception
    here would tell something about the data (docs/theory/exact-release.md, "No way to fail").
    """
    numbers = UniformReals(entropy, law.uniforms + 1)

    def accepted(bits: int) -> bool:
        u = numbers.intervals(bits)
        ratio, _ = law.propose(u[:, 1:])
        return bool(less(np.log(u[:, 0]), ratio)[0])

    return numbers if decide(accepted) else None


def rounded_candidate(
    law: Law, numbers: UniformReals, coordinates: Callable[[Array], Array], exponent: int
) -> Array:
    """Coordinates of an accepted proposal, rounded to the public grid with proof."""

    def rounded(bits: int) -> Array:
        _, candidate = law.propose(numbers.intervals(bits)[:, 1:])
        return round_to_grid(coordinates(law.finish(candidate))[0], exponent)

    return decide(rounded)


def draw_rounded(
    law: Law, coordinates: Callable[[Array], Array], exponent: int, entropy: Entropy
) -> Array:
    """Draw from a law and round its coordinates to the public grid ``2**exponent``, with proof.

    The result is the exact rounding of the ideal real-valued draw: a function of the ideal draw
    alone, so that its privacy is the ideal law's (docs/theory/exact-release.md).
    """
    while (numbers := try_once(law, entropy)) is None:
        pass
    return rounded_candidate(law, numbers, coordinates, exponent)


def draw_floats(law: Law, entropy: Entropy, size: int) -> Array:
    """Draw ``size`` points in floats, for forecasts, tests and studies."""
    parts: list[Array] = []
    missing = size
    while missing > 0:
        u = entropy.uniforms((max(16, int(1.2 * missing)), law.uniforms + 1))
        ratio, candidate = law.propose(u[:, 1:])
        if float(np.max(ratio)) > ENVELOPE_SLACK:
            raise BrokenEnvelopeError(f"log acceptance ratio {np.max(ratio)} above 0")
        kept = law.finish(candidate[np.log(u[:, 0]) < ratio][:missing])
        parts.append(kept)
        missing -= kept.shape[0]
    return np.concatenate(parts)


def acceptance_rate(law: Law, entropy: Entropy, size: int = 20_000) -> float:
    """Share of proposals accepted, by simulation."""
    ratio, _ = law.propose(entropy.uniforms((size, law.uniforms)))
    return float(np.mean(np.exp(np.minimum(ratio, 0.0))))
