"""Tests that anyone can import to certify a space or a statistic of their own.

:func:`check_space` is the property suite for spaces, :func:`check_door` sends hostile records to a
ball, :func:`search_neighbours` tries to exceed a sensitivity. They raise an ``AssertionError`` that
names what fails and its worst case, and need no test framework.
"""

from geomdp.testing.door import check_door as check_door
from geomdp.testing.hostile import hostile_records as hostile_records
from geomdp.testing.neighbours import Neighbours as Neighbours
from geomdp.testing.neighbours import search_neighbours as search_neighbours
from geomdp.testing.samples import Samples as Samples
from geomdp.testing.samples import public_centers as public_centers
from geomdp.testing.samples import some_balls as some_balls
from geomdp.testing.space import PROPERTIES as PROPERTIES
from geomdp.testing.space import Property as Property
from geomdp.testing.space import check_space as check_space
