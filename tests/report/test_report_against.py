"""One line on every report: is this better than the public centre?"""

import numpy as np
import pytest

import geomdp as dp
from geomdp.report.release_pages import release_page

POINTS = np.tile([0.0, 0.0, 1.0], (1000, 1))


@pytest.mark.parametrize(
    ("n", "budget", "verdict"),
    [
        (1000, dp.GDP(1), "Likely: unless"),
        (10, dp.GDP("0.5"), "Perhaps not: noise alone"),
        (10, dp.GDP("0.1"), "No: noise alone"),
    ],
)
def test_the_verdict_follows_from_noise_and_radius(n, budget, verdict):
    asked = dp.TangentMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.1))
    plan = dp.plan(asked, n=n, budget=budget)
    share = plan.expected_error / 0.1
    assert (share >= 1) == verdict.startswith("No")
    assert (share > 1 / 3) == (not verdict.startswith("Likely"))
    page = release_page(plan.release(POINTS[:n]), {})
    assert "Better than the public centre?" in page
    assert verdict in page
    assert "Expected error by noise" in page


def test_a_value_without_a_radius_is_compared_with_nothing():
    plan = dp.plan(dp.ExtrinsicMean(dp.Sphere(2)), n=1000, budget=dp.GDP(1))
    assert "Better than the public centre?" not in release_page(plan.release(POINTS), {})
