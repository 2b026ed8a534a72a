"""One round of a consortium: what a site computes, and what anybody makes of the opened sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from geomdp.consortia.site_noise import MANY, SiteNoise, linear_of
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
    return with_noise(noise, site_totals(plan, noise, records), entropy)


def site_totals(plan: SinglePlan, noise: SiteNoise, records: Any) -> list[int]:
    """Return a site's own sums and its number of records: everything that can fail does so here."""
    encoded = plan.encoded_here(records)
    require_few(plan, len(encoded))
    with one_blas_thread():
        totals = integer_totals(plan.statistic, encoded)
    return [*(totals[i] for i in noise.counted), len(encoded)]


def require_few(plan: SinglePlan, here: int) -> None:
    """Refuse a site that has no records, or more than fit a sum."""
    if not here:
        raise GeomdpError("There are no records here: a site without any does not answer.")
    if here > MANY * plan.n:
        raise GeomdpError(
            f"There are {here} records here, and the plan expects {plan.n} of all sites together: "
            f"more than {MANY} times as many fit no sum; make a plan for more."
        )


def with_noise(noise: SiteNoise, totals: Sequence[int], entropy: Entropy) -> list[int]:
    """Add a site's own noise to its sums; its number of records is shared as it is."""
    *sums, n = totals
    return [*(s + drawn for s, drawn in zip(sums, noise.draw(entropy), strict=True)), n]


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
