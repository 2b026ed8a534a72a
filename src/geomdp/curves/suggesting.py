"""A tau from public curves, where there are some: another country's, last decade's, simulated."""

from __future__ import annotations

from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.statistics.capabilities import Clipped


def suggest_tau(mean: Clipped, public_records: Any, part: float = 0.99) -> float:
    """Return the length that this part of PUBLIC records keeps, rounded up to two digits.

    Never give it the records that are to be protected: a tau taken from them would tell about them.
    Without public ones, ``geomdp.Refined`` finds a tau privately.

    Parameters
    ----------
    mean
        A ``FunctionMean`` or ``SurfaceMean``; its own tau plays no part.
    public_records
        Curves, surfaces or prepared curves that are public.
    part
        Part of them that is not to be clipped.

    Examples
    --------
    >>> from geomdp.curves import FunctionMean, Matern
    >>> mean = FunctionMean(np.zeros(20), tau=1.0, kernel=Matern(0.5))
    >>> suggest_tau(mean, np.outer(np.linspace(0, 3.14, 500), np.ones(20)))
    3.2
    """
    if not 0 < part <= 1:
        raise GeomdpError(f"A part lies between 0 and 1, not {part}.")
    lengths = np.asarray(mean.lengths(public_records).records)
    found = float(np.quantile(lengths, part))
    unit = 10.0 ** (np.floor(np.log10(found)) - 1) if found > 0 else 1.0
    return float(f"{np.ceil(found / unit) * unit:.2g}")
