"""What a raw record means: a public rule that a plan carries, from numbers to a point."""

from geomdp.readings.base import READINGS as READINGS
from geomdp.readings.base import Reading as Reading
from geomdp.readings.base import Scaled as Scaled
from geomdp.readings.base import reading_from_json as reading_from_json
from geomdp.readings.compositions import Compositions as Compositions
from geomdp.readings.directions import Directions as Directions
from geomdp.readings.directions import UnitVectors as UnitVectors
from geomdp.readings.signals import Signals as Signals
