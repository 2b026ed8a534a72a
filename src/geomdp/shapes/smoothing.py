"""Smoothing along a closed outline: free post-processing of a released shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces.numerics import linalg


def smooth_shapes(shapes: Any, bandwidth: float) -> NDArray[np.complex128]:
    """Smooth closed outlines by local linear regression along them, and return preshapes.

    The landmarks are taken as equally spaced along the outline. A Gaussian kernel around each is
    then symmetric, the local slope does not change the fitted value, and local linear regression
    is a weighted mean of the landmarks around: the same weights everywhere, wrapped around the end.

    Parameters
    ----------
    shapes
        Complex landmarks (..., k), for example released preshapes.
    bandwidth
        Public standard deviation of the kernel, as a share of the outline, below 1/2. It must not
        be chosen by looking at the records.

    Returns
    -------
    NDArray
        Centred landmarks of norm 1: points of ``PlanarShapes(k)``.

    Examples
    --------
    >>> circle = np.exp(2j * np.pi * np.arange(40) / 40)
    >>> rough = circle * (1 + 0.1 * (-1.0) ** np.arange(40))
    >>> smooth = smooth_shapes(rough, 0.05)
    >>> bool(np.ptp(np.abs(smooth)) < 0.01 * np.ptp(np.abs(rough)))
    True
    """
    outlines = np.asarray(shapes, dtype=complex)
    if not 0 < bandwidth < 0.5:
        raise GeomdpError(f"The bandwidth is a share of the outline below 1/2, not {bandwidth}.")
    if outlines.ndim == 0 or outlines.shape[-1] < 3 or not np.all(np.isfinite(outlines)):
        raise InvalidRecordError("Smoothing needs at least 3 finite complex landmarks a shape.")
    smooth = linalg.row_product(outlines, _weights(outlines.shape[-1], bandwidth))
    smooth = smooth - np.mean(smooth, axis=-1, keepdims=True)
    size = np.linalg.norm(smooth, axis=-1, keepdims=True)
    if np.any(size <= 1e-12 * np.linalg.norm(outlines, axis=-1, keepdims=True)):
        raise GeomdpError("This bandwidth shrinks the outline to a point; use a smaller one.")
    return smooth / size


def _weights(k: int, bandwidth: float) -> NDArray[np.float64]:
    """Symmetric matrix of kernel weights, each column summing to 1."""
    step = np.arange(k) / k
    # Laps 1 and 2 matter only for bandwidths near the limit.
    laps = np.arange(-3, 4)[:, None]
    kernel = np.sum(np.exp(-(((step + laps) / bandwidth) ** 2) / 2), axis=0)
    index = np.arange(k)
    return np.asarray(kernel[(index[:, None] - index) % k] / np.sum(kernel))
