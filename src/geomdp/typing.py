"""Type names shared by the package."""

from typing import Any, TypeAlias

import numpy as np

#: An array as type checkers see it. Spaces also take arrays of other libraries that follow the
#: array API, which share no base class: tests run them with ``array-api-strict``, not mypy.
Array: TypeAlias = np.ndarray[Any, Any]
