"""Tests that anyone can import to certify a space or a statistic of their own.

:func:`check_space` is the property suite for spaces, :func:`check_door` sends hostile records to a
ball, :func:`search_neighbours` tries to exceed a sensitivity. They raise an ``AssertionError`` that
names what fails and its worst case, and need no test framework.
"""

from geomdp.testing.door import check_door
from geomdp.testing.hostile import hostile_records
from geomdp.testing.neighbours import Neighbours, search_neighbours
from geomdp.testing.samples import Samples, public_centers, some_balls
from geomdp.testing.space import PROPERTIES, Property, check_space

__all__ = [
    "PROPERTIES",
    "Neighbours",
    "Property",
    "Samples",
    "check_door",
    "check_space",
    "hostile_records",
    "public_centers",
    "search_neighbours",
    "some_balls",
]
