"""One round of a consortium: what a site computes, and what anybody makes of the opened sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.consortia.site_noise import SiteNoise, linear_of
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import integer_totals, mean_of_totals
from geomdp.noise.entropy import Entropy
from geomdp.plans.single import SinglePlan
from geomdp.runtime.threads import one_blas_thread
from geomdp.typing import Array


def site_integers(plan: SinglePlan, noise: SiteNoise, records: Any, entropy: Entropy) -> list[int]:
    """Return what a site shares: its noisy integers, and last its number of records.

    The records pass the plan's door; the site's number stays private, only the total is opened.
    """
    encoded = plan.encoded_here(records)
    with one_blas_thread():
        totals = integer_totals(plan.statistic, encoded)
    drawn = noise.draw(entropy)
    noisy = [totals[i] + n for i, n in zip(noise.counted, drawn, strict=True)]
    return [*noisy, len(encoded)]


def opened_value(plan: SinglePlan, noise: SiteNoise, opened: Sequence[int]) -> Array:
    """Return the value that belongs to opened sums, divided by the opened number of records."""
    linear, n = linear_of(plan.request), opened[-1]
    if n < 1:
        raise GeomdpError(
            f"The opened number of records is {n}: a site or an aggregator lied, and no mean "
            "follows; what was shared counts as spent."
        )
    totals = [0] * linear.degrees.size
    for place, total in zip(noise.counted, opened[:-1], strict=True):
        totals[place] = total
    means = mean_of_totals(linear, totals, n)
    return np.asarray(linear.decode(np.array([float(mean) for mean in means])))
