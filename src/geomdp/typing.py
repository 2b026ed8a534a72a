"""Type names shared by the package."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: An array as type checkers see it. Spaces also take arrays of other libraries that follow the
#: array API, which share no base class: tests run them with ``array-api-strict``, not mypy.
Array: TypeAlias = np.ndarray[Any, Any]
#: Arrays of NumPy alone, by what they hold.
Floats: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]
Indices: TypeAlias = NDArray[np.int64]
#: Sum of the logs of many points at one, in the frame there, each times its share, and that of the
#: Hessians of half their squared distances, as a function of a vector in that frame.
HessianRoad: TypeAlias = Callable[
    [Array, Array, Array | None], tuple[Array, Callable[[Array], Array]]
]
