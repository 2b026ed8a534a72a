"""Type names shared by the package."""

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
