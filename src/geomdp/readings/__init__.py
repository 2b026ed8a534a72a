"""What a raw record means: a public rule that a plan carries, from numbers to a point."""

from geomdp.readings.base import READINGS, Reading, Scaled, reading_from_json
from geomdp.readings.compositions import Compositions
from geomdp.readings.directions import Directions, UnitVectors

__all__ = [
    "READINGS",
    "Compositions",
    "Directions",
    "Reading",
    "Scaled",
    "UnitVectors",
    "reading_from_json",
]
