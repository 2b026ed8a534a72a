"""Mechanisms: calibration, exact draw and forecast, one file each."""

from geomdp.mechanisms.base import MECHANISMS, Calibration, Mechanism, Request
from geomdp.mechanisms.forecast import Forecast
from geomdp.mechanisms.pair_law import PairLaw

__all__ = ["MECHANISMS", "Calibration", "Forecast", "Mechanism", "PairLaw", "Request"]
