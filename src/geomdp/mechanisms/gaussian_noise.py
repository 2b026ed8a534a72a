"""What all Gaussian mechanisms share: the ratio a budget allows, and exact draws on a lattice."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from geomdp.errors import BudgetError, MechanismRefusedError
from geomdp.mechanisms.base import Request
from geomdp.mechanisms.grids import lattice_exponents
from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import Entropy
from geomdp.noise.lattice import Lattice, lattice_sum
from geomdp.noise.lattice_gaussian import rounded_gaussian
from geomdp.privacy.gaussian import gaussian_mu
from geomdp.statistics.base import Statistic
from geomdp.statistics.encoded import Encoded, as_encoded
from geomdp.statistics.linear import LinearStatistic, ToCoordinates
from geomdp.statistics.solving.plausible import require_integers, require_sums
from geomdp.typing import Array


def allowed_mu(name: str, request: Request) -> float:
    """Sensitivity over standard deviation that the budget allows, or a refusal."""
    try:
        return gaussian_mu(request.share, request.gaussian)
    except BudgetError as error:
        raise MechanismRefusedError(f"{name}: {error}") from error


def exact_mean(
    statistic: LinearStatistic,
    encoded: Encoded | Array,
    to_coordinates: ToCoordinates = np.asarray,
) -> list[Fraction]:
    """Shrunken mean of the records' lattice vectors, coordinate by coordinate, without error.

    Sums of integers are exact, so that chunks and their order do not matter.
    """
    lattice, records = Lattice.within(statistic.radius, statistic.record_bits), as_encoded(encoded)
    ask = partial(_totals, statistic, records, to_coordinates, lattice)
    return mean_of_totals(statistic, records.once("integer sums", ask), len(encoded))


def integer_totals(asked: Statistic, encoded: Encoded) -> list[int]:
    """Add up the lattice vectors of a linear statistic's records, where they lie."""
    view = asked.as_linear()
    if view is None:
        raise MechanismRefusedError("Only linear statistics are sums of integer vectors.")
    lattice = Lattice.within(view.linear.radius, view.linear.record_bits)
    return _totals(view.linear, encoded, view.to_coordinates, lattice)


def mean_of_totals(statistic: LinearStatistic, totals: Sequence[int], n: int) -> list[Fraction]:
    """Shrunken mean that belongs to sums over n records, coordinate by coordinate, without error.

    What one machine computes of its own sums, and anybody of those that sites opened together.
    """
    step = Fraction(2) ** Lattice.within(statistic.radius, statistic.record_bits).exponent
    units = {degree: step**degree / n for degree in set(statistic.degrees.tolist())}
    factors = [
        Fraction(value) * units[degree]
        for value, degree in zip(
            statistic.shrinkage.tolist(), statistic.degrees.tolist(), strict=True
        )
    ]
    return [factor * total for factor, total in zip(factors, totals, strict=True)]


def _totals(
    statistic: LinearStatistic, encoded: Encoded, to_coordinates: ToCoordinates, lattice: Lattice
) -> list[int]:
    """Add up all chunks; what other machines send must be such as n records have."""
    size, n = statistic.degrees.size, len(encoded)
    totals = [0] * size
    for more in encoded.ask(partial(_chunk_sum, statistic, to_coordinates, lattice)):
        require_integers(more, size, n)
        totals = [total + part for total, part in zip(totals, more, strict=True)]
    if encoded.elsewhere is not None:
        require_sums(totals, statistic, lattice.largest_square, n)
    return totals


def _chunk_sum(
    statistic: LinearStatistic, to_coordinates: ToCoordinates, lattice: Lattice, chunk: Array
) -> list[int]:
    """Sum of a chunk's integer vectors; it may travel to the chunk."""
    sums = partial(lattice_sums, statistic, lattice)
    return lattice_sum(to_coordinates(chunk), lattice, sums, statistic.blocks)


def lattice_sums(statistic: LinearStatistic, lattice: Lattice, vectors: Any) -> Any:
    """Add up what a statistic makes of integer vectors whose blocks are short enough."""
    short = statistic.kept_short(vectors, lattice.largest_square)
    return statistic.integer_sums(short)


def draw_around(means: list[Fraction], spreads: Array, entropy: Entropy, size: int) -> Array:
    """Draw coordinates (size, D): correctly rounded to a public lattice, or never published.

    The lattice of a coordinate is finer than its noise by the usual number of digits. What comes
    back are multiples of its step, so that everything after this is post-processing.
    """
    if not entropy.exact:
        center = np.array([float(mean) for mean in means])
        u = entropy.uniforms((size, uniforms_for_normals(len(means))))
        return center + spreads * normals(u, len(means))
    exponents = lattice_exponents(spreads)
    in_steps = np.ldexp(spreads, -exponents)
    scaled = [
        mean / Fraction(2) ** int(e) for mean, e in zip(means, exponents.tolist(), strict=True)
    ]
    drawn = [rounded_gaussian(scaled, in_steps, entropy) for _ in range(size)]
    return np.ldexp(np.array(drawn, dtype=object).astype(np.float64), exponents)
