"""Public forms that shape a ball: wide where records vary much, narrow where they vary little.

Clipping and noise then follow the form (docs/theory/shaped-balls.md).
"""

from typing import Any

import numpy as np

from geomdp.errors import InvalidBallError
from geomdp.typing import Array

#: Smallest eigenvalue of a form, in units of the largest: beyond, floats would not whiten.
SMALLEST = 1e-8


def form_from(covariance: Any, power: float = 0.5) -> Array:
    """Return the form that suits records of a PUBLISHED covariance: its square root, to scale.

    The mean of the form's eigenvalues is 1, so that the radius keeps its meaning. A covariance of
    the same records is public only if it was released.

    Parameters
    ----------
    covariance
        (d, d), in the orthonormal frame at the centre: from an atlas, another cohort or an earlier
        release.
    power
        1/2 is best for radii at the root mean square.

    Examples
    --------
    >>> form_from(np.diag([9.0, 1.0])).tolist()
    [[1.5, 0.0], [0.0, 0.5]]
    """
    values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=float))
    if not (np.all(np.isfinite(values)) and values[-1] > 0):
        raise InvalidBallError("A covariance has finite entries and some variance.")
    shares = np.maximum(values / values[-1], SMALLEST) ** power
    return np.asarray((vectors * (shares / np.mean(shares))) @ vectors.T)


def as_form(form: Any, dim: int) -> Array:
    """Check a form: a symmetric positive matrix that floats can invert.

    Raises
    ------
    InvalidBallError
        With the reason.
    """
    try:
        matrix = np.array(form, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidBallError("A form is a matrix of numbers.") from error
    if matrix.shape != (dim, dim) or not np.all(np.isfinite(matrix)):
        raise InvalidBallError(f"A form has shape {(dim, dim)} and finite entries.")
    values = np.linalg.eigvalsh(matrix)
    symmetric = np.allclose(matrix, matrix.T, rtol=0, atol=1e-12 * np.max(np.abs(matrix)))
    if not symmetric or not values[0] > SMALLEST / 10 * values[-1]:
        raise InvalidBallError("A form is symmetric and positive, and not nearly singular.")
    matrix.flags.writeable = False
    return matrix


def roots_of(form: Array) -> tuple[Array, Array]:
    """Return the symmetric root of a form and its inverse.

    >>> [root.tolist() for root in roots_of(np.diag([4.0, 1.0]))]
    [[[2.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 1.0]]]
    """
    values, vectors = np.linalg.eigh(form)
    roots = np.sqrt(values)
    return (vectors * roots) @ vectors.T, (vectors / roots) @ vectors.T
