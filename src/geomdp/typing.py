"""Type names shared by the package."""

from typing import Any, TypeAlias

#: An array of any library that follows the array API, or a NumPy object array of balls
#: (:mod:`geomdp.noise.balls`). Array-API libraries share no base class, hence ``Any``.
Array: TypeAlias = Any
