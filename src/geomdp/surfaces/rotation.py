"""Best rotations between fields, and best motions between corresponding points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def kabsch(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation O that maximises ``trace(O.T @ covariance)``.

    With ``covariance = sum target x source^T`` this is the rotation that takes ``source`` closest
    to ``target`` in least squares; reflections are excluded. Leading axes are batch axes.

    Examples
    --------
    >>> import numpy as np
    >>> kabsch(np.diag([1.0, 2.0, -3.0])).tolist()
    [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]
    """
    u, _, vt = np.linalg.svd(covariance)
    u = u.copy()
    u[..., :, 2] *= np.sign(np.linalg.det(u @ vt))[..., None]
    rotation: NDArray[np.float64] = u @ vt
    return rotation


def best_turn(
    target: NDArray[np.float64], source: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Find the angle by which turning the disk of ``source`` fits ``target`` best.

    For every shift of the angular grid the 3 x 3 covariance comes from one FFT cross-correlation,
    and its best value over rotations in space is ``s1 + s2 +- s3`` of its singular values.

    Parameters
    ----------
    target, source : arrays (radii, angles, 3)
        Fields on the same polar grid.
    weights : array (radii,)
        Quadrature weights of the radii.

    Returns
    -------
    float
        The angle alpha in [0, 2 pi): ``source`` at ``theta + alpha`` lies over ``target`` at theta.

    Examples
    --------
    >>> import numpy as np
    >>> field = np.random.default_rng(0).normal(size=(5, 36, 3))
    >>> round(best_turn(np.roll(field, -9, axis=1), field, np.ones(5)) * 180 / np.pi)
    90
    """
    f = np.conj(np.fft.rfft(target * weights[:, None, None], axis=1))
    g = np.fft.rfft(source, axis=1)
    angles = target.shape[1]
    covariance = np.fft.irfft(np.einsum("rki,rkj->kij", f, g), n=angles, axis=0)
    s = np.linalg.svd(covariance, compute_uv=False)
    fit = s[:, 0] + s[:, 1] + np.sign(np.linalg.det(covariance)) * s[:, 2]
    return float(2 * np.pi * int(fit.argmax()) / angles)


@dataclass(frozen=True, eq=False)
class Motion:
    """A rotation, a scale and a shift: ``x -> scale * rotation @ x + shift``."""

    rotation: NDArray[np.float64]
    scale: float
    shift: NDArray[np.float64]

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move points (..., 3)."""
        return self.scale * points @ self.rotation.T + self.shift

    def after(self, first: "Motion") -> "Motion":
        """Return the motion that moves by ``first`` and then by this one."""
        return Motion(self.rotation @ first.rotation, self.scale * first.scale, self(first.shift))


def best_motion(
    target: NDArray[np.float64],
    source: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    scaled: bool = False,
) -> Motion:
    """Motion that takes ``source`` closest to ``target`` in weighted least squares.

    Parameters
    ----------
    target, source : arrays (p, 3)
        Corresponding points.
    weights : array (p,), optional
        Equal by default.
    scaled : bool
        Whether a change of size is allowed too.

    Examples
    --------
    >>> corner = np.eye(3)
    >>> motion = best_motion(2 * corner[[1, 2, 0]] + 5, corner, scaled=True)
    >>> bool(np.allclose(motion(corner), 2 * corner[[1, 2, 0]] + 5)), round(motion.scale, 9)
    (True, 2.0)
    """
    share = np.full(len(target), 1 / len(target)) if weights is None else weights / weights.sum()
    middle, other = share @ target, share @ source
    covariance = (share[:, None] * (target - middle)).T @ (source - other)
    rotation = kabsch(covariance)
    scale = 1.0
    if scaled:
        scale = float(np.sum(rotation * covariance) / (share @ np.sum((source - other) ** 2, -1)))
    return Motion(rotation, scale, middle - scale * rotation @ other)
