"""Less error for nothing: noisy coordinates about a public record, moved towards it.

Everything here is a function of released coordinates and of the public law of their noise, so that
it costs no privacy. Proofs, and what is not proved: docs/theory/denoising.md.
"""

from typing import Final

import numpy as np

from geomdp.typing import Array, Floats

#: Sizes and powers that are tried for the law of a mean that varies as a form says.
SIZES: Final = np.geomspace(1e-4, 1e10, 71)
POWERS: Final = np.linspace(0.0, 4.0, 17)


def effective_dimension(variances: Floats) -> float:
    """Return Bock's ``D = tr / max`` of the noise variances (d,) along the axes of the error."""
    return float(np.sum(variances) / np.max(variances))


def kept_share(drawn: Floats, deviation: float, effective: float) -> float:
    """Return the factor of Bock's positive-part estimator; James-Stein's where D is d.

    ``drawn`` (d,) are coordinates in which all noise has the same ``deviation``. The constant, and
    not the norm, knows how the error weighs them: with d in place of D the risk may be eight times
    that of what was drawn. Nothing is gained, and all is kept, where D is at most 2.
    """
    if not effective > 2:
        return 1.0
    with np.errstate(over="ignore"):  # what is beyond all floats keeps all of itself
        square = float(np.sum((drawn / deviation) ** 2))
    return max(0.0, 1 - (effective - 2) / square) if square > 0 else 0.0


def share_left(effective: float, distance: float) -> float:
    """Foresee the part of the squared error that :func:`kept_share` leaves.

    ``distance`` is that of the mean from the centre, in deviations of a coordinate's noise. As
    under normal noise without the positive part, which leaves less: a forecast, and no bound.
    """
    most = max(effective - 2, 0.0)
    return 1 - most**2 / (effective * (most + distance**2)) if most > 0 else 1.0


def within(drawn: Floats, radius: float) -> Floats:
    """Return the nearest point of the ball that the mean lies in: never farther from the mean."""
    length = float(np.linalg.norm(drawn))
    return drawn * (radius / length) if length > radius else drawn


def kept_by_form(drawn: Floats, deviations: Floats, eigenvalues: Floats) -> Floats:
    """Return the factors (d,) of the two-parameter fit along the axes of a public form.

    The mean is taken as normal with the variances ``tau^2 a_j^g``, tau and g as they fit best. No
    bound holds: on a mean that is rough where the form says smooth it may lose half as much again
    as the noise itself.
    """
    noise = deviations**2
    sizes = SIZES[:, None] * float(np.mean(noise))
    best, kept = np.inf, np.ones_like(drawn)
    for power in POWERS:
        variances = sizes * (eigenvalues / np.max(eigenvalues)) ** power + noise
        fit = np.sum(np.log(variances) + drawn**2 / variances, axis=-1)
        size = int(np.argmin(fit))
        if fit[size] < best:
            best, kept = fit[size], 1 - noise / variances[size]
    return kept


def pooled(drawn: Floats, deviations: Floats) -> Floats:
    """Return the means (g, d) of groups, each moved towards what all of them have in common.

    ``deviations`` (g,) are those of their noise. About the common mean, directions in which groups
    differ by more than noise are kept by the singular values that lose least (Gavish and Donoho);
    all others by one factor. No bound holds for a single group.
    """
    weights = 1 / deviations**2
    center = weights @ drawn / np.sum(weights)
    left, values, right = np.linalg.svd((drawn - center) / deviations[:, None], full_matrices=False)
    free, dim = len(drawn) - 1, drawn.shape[1]
    kept = _least_losing(values, free, dim)
    loud = int(np.count_nonzero(kept))
    quiet = np.where(kept > 0, 0.0, values)
    noise, found = (free - loud) * (dim - loud), float(np.sum(quiet**2))
    share = max(0.0, 1 - noise / found) if noise > 0 and found > 0 else 0.0
    return np.asarray(center + deviations[:, None] * ((left * (kept + share * quiet)) @ right))


def _least_losing(values: Floats, rows: int, columns: int) -> Floats:
    """Singular values of a matrix in noise of deviation 1, shrunk to lose least; 0 of noise."""
    most, least = max(rows, columns), min(rows, columns)
    ratio, size = least / most, values / np.sqrt(most)
    above = size > 1 + np.sqrt(ratio)
    squares = np.maximum((size**2 - ratio - 1) ** 2 - 4 * ratio, 0.0)
    return np.where(above, np.sqrt(squares * most) / np.maximum(size, 1.0), 0.0)


def noise_radius(level: float, dim: int, deviation: float, heavy: bool) -> float:
    """Return the length that noise keeps with probability ``level``: normal, or l2-Laplace."""
    from scipy.special import gammaincinv

    if heavy:
        return float(deviation / np.sqrt(dim + 1) * gammaincinv(dim, level))
    return float(deviation * np.sqrt(2 * gammaincinv(dim / 2, level)))


def most_risk(dim: int, deviation: float, distance: float) -> float:
    """Bound the mean squared error of James-Stein under normal noise, at this distance.

    Of the mean from the public record; never more than two variances above the smaller of what was
    drawn and of the public record itself.
    """
    most = (dim - 2) * deviation**2
    return 2 * deviation**2 + most * (distance**2 / (most + distance**2))


def finite_or(value: Array, otherwise: Array) -> Array:
    """Return a value that arithmetic could serve, else the other one: nothing fails here."""
    return value if bool(np.all(np.isfinite(value))) else otherwise
