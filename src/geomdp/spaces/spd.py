"""Symmetric positive definite matrices; ``SPD(k, metric)`` picks the file that has the metric."""

from collections.abc import Callable

from geomdp.errors import GeomdpError
from geomdp.spaces.base import Space
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.spaces.spd_log_euclidean import LogEuclideanSPD
from geomdp.spaces.specs import SPACES

METRICS: dict[str, Callable[[int], Space]] = {"affine": AffineSPD, "log-euclidean": LogEuclideanSPD}


def SPD(k: int, metric: str = "affine") -> Space:  # noqa: N802  (reads as the space it returns)
    """Return the space of k x k symmetric positive definite matrices.

    Parameters
    ----------
    k
        Number of rows.
    metric
        ``"affine"``: the affine-invariant metric, unchanged by every change of basis.
        ``"log-euclidean"``: flat, so that means have a closed form and noise always exists.

    Examples
    --------
    >>> SPD(3).dim
    6
    """
    if metric not in METRICS:
        raise GeomdpError(f"SPD knows the metrics {', '.join(METRICS)}, not {metric!r}.")
    return METRICS[metric](k)


SPACES.register("spd", SPD, example="spd:3, spd:3:log-euclidean")
