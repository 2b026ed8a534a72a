"""A shaped ball from the covariance that an earlier release found."""

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import Release, fingerprint
from geomdp.releases.estimates.moments import MomentsEstimate, moments_of
from geomdp.releases.estimates.spectra import chi_square
from geomdp.spaces.ball import Ball
from geomdp.spaces.forms import form_from
from geomdp.typing import Array

#: Share of records that the default radius holds, if they are normal.
SHARE = 0.99
#: Power of the covariance that is best for radii at the root mean square.
SQUARE_ROOT = 0.5


def shaped_ball(release: Release, radius: float | None = None, power: float = SQUARE_ROOT) -> Ball:
    """Return a ball about a release's centre whose form follows the covariance it found.

    For a later release from other records, or from the same ones at the price of both. Variances
    that drown in the earlier release's noise count as the noise.

    Parameters
    ----------
    release
        Of ``Moments``, with a covariance.
    radius
        In the norm of the form; by default one that holds 99% of normal records with the released
        moments.
    power
        Of the covariance, as in :func:`geomdp.spaces.forms.form_from`.

    Examples
    --------
    >>> import geomdp as dp
    >>> first = dp.plan(dp.Moments(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)), n=500, budget=dp.GDP(1))
    >>> released = first.release(dp.datasets.polar_sphere(500, radius=0.3, seed=0))
    >>> ball = shaped_ball(released)
    >>> ball.form.shape, len(ball.origin)
    ((2, 2), 64)
    """
    found = moments_of(release)
    if found.ball.form is not None:
        raise GeomdpError("A form is taken from a covariance that a round ball found.")
    covariance = _above_noise(found)
    form = form_from(covariance, power)
    if radius is None:
        second = covariance + np.outer(found.coordinates, found.coordinates)
        rms = np.sqrt(np.trace(np.linalg.solve(form, second)))
        radius = float(rms * np.sqrt(chi_square(SHARE, found.dim) / found.dim))
    names = ", ".join(filter(None, (found.ball.origin, fingerprint(release))))
    return Ball(found.ball.space, found.ball.center, radius, names, form, wide=True)


def power_of(form: Array, release: Release) -> float | None:
    """Return the power of a release's covariance that a form is; None where it is none."""
    covariance = _above_noise(moments_of(release))
    if covariance.shape != form.shape:
        return None
    wide, narrow = (np.linalg.eigvalsh(matrix) for matrix in (covariance, form))
    spread = float(np.log(wide[-1] / wide[0]))
    power = float(np.log(narrow[-1] / narrow[0])) / spread if spread > 0 else SQUARE_ROOT
    # Another machine rounds otherwise.
    same = np.allclose(form_from(covariance, power), form, rtol=0, atol=1e-6 * narrow[-1])
    return power if same else None


def _above_noise(found: MomentsEstimate) -> Array:
    """Return the released covariance, variances below the noise edge raised to the edge."""
    values, vectors = np.linalg.eigh(found.raw_covariance)
    return np.asarray((vectors * np.maximum(values, found.edge)) @ vectors.T)
