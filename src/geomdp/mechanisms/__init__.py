"""Mechanisms: calibration, exact draw and forecast, one file each."""

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.ambient import AmbientLaplace
from geomdp.mechanisms.ambient_gaussian import AmbientGaussian
from geomdp.mechanisms.base import Calibration, Mechanism, Request
from geomdp.mechanisms.exponential import Exponential
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.kng import KNG
from geomdp.mechanisms.laplace import Laplace
from geomdp.mechanisms.laplace_ball import LaplaceBall
from geomdp.mechanisms.linear_laplace import LinearLaplace
from geomdp.mechanisms.metropolis import KngMetropolis, LaplaceMetropolis
from geomdp.mechanisms.pointwise import PointwiseLaplace, PointwiseLaplaceUnaligned
from geomdp.mechanisms.pointwise_gaussian import PointwiseGaussian
from geomdp.mechanisms.riemannian_gaussian import RiemannianGaussian
from geomdp.mechanisms.tangent_gaussian import TangentGaussian
from geomdp.mechanisms.wrapped import WrappedGaussian, WrappedLaplace

#: Every mechanism by its name, in the order in which plans list them.
MECHANISMS: dict[str, Mechanism] = {
    m.name: m
    for m in (
        Laplace(),
        LaplaceBall(),
        KNG(),
        WrappedLaplace(),
        TangentGaussian(),
        WrappedGaussian(),
        RiemannianGaussian(),
        LinearLaplace(),
        Exponential(),
        KngMetropolis(),
        LaplaceMetropolis(),
        AmbientLaplace(),
        AmbientGaussian(),
        PointwiseLaplace(),
        PointwiseLaplaceUnaligned(),
        PointwiseGaussian(),
    )
}


def mechanism_named(name: str) -> Mechanism:
    """Return a mechanism, or say which names there are."""
    if name not in MECHANISMS:
        raise MechanismRefusedError(
            f"There is no mechanism {name!r}; choose auto, {', '.join(MECHANISMS)}."
        )
    return MECHANISMS[name]


__all__ = [
    "MECHANISMS",
    "Calibration",
    "Forecast",
    "Mechanism",
    "Request",
    "mechanism_named",
]
