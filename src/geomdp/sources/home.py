"""Arrays of other libraries, brought home; imports nothing of the package that has spaces."""

import array_api_compat
import numpy as np

from geomdp.typing import Array


def home(x: Array) -> Array:
    """Return an array, wherever it lies, as a NumPy array.

    >>> home(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x):
        return np.asarray(x.detach().cpu())
    return x.get() if array_api_compat.is_cupy_array(x) else np.asarray(x)
