"""The mean of labelled points: clipping, sensitivity, files, bad input."""

import numpy as np
import pytest

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.statistics import statistic_from_json
from geomdp_papers.point_mean import PointMean

TEMPLATE = np.arange(12.0).reshape(4, 3)


def test_jointly_clipped_records_keep_their_direction():
    mean = PointMean(TEMPLATE, 0.5)
    offset = np.array([[0.0, 3, 4], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    kept = mean.decode(mean.encode((TEMPLATE + offset)[None]))[0] - TEMPLATE
    np.testing.assert_allclose(kept, 0.2 * offset, atol=1e-12)  # root mean square 2.5 to 0.5


def test_points_are_clipped_one_by_one():
    mean = PointMean(TEMPLATE, 0.5, "each")
    offset = np.array([[0.0, 3, 4], [0.3, 0, 0], [0, 0, 0], [0, -1, 0]])
    kept = mean.decode(mean.encode((TEMPLATE + offset)[None]))[0] - TEMPLATE
    expected = [[0, 0.3, 0.4], [0.3, 0, 0], [0, 0, 0], [0, -0.5, 0]]
    np.testing.assert_allclose(kept, expected, atol=1e-12)


@pytest.mark.parametrize("clip", ["joint", "each"])
def test_the_sensitivity_is_attained_and_never_exceeded(clip):
    mean, n = PointMean(TEMPLATE, 0.5, clip), 7
    bound = mean.sensitivity(n).value
    rng = np.random.default_rng(4)
    changes = []
    for _ in range(200):
        data = TEMPLATE + rng.standard_normal((n, 4, 3))
        other = data.copy()
        data[0] = TEMPLATE + rng.standard_cauchy((4, 3)) * 100
        other[0] = 2 * TEMPLATE - data[0] if rng.random() < 0.5 else TEMPLATE
        ends = [mean.mean_coordinates(mean.encode(x)) for x in (data, other)]
        changes.append(np.linalg.norm(ends[0] - ends[1]))
    assert max(changes) <= bound * (1 + 1e-12)
    assert max(changes) > 0.999 * bound
    assert bound == pytest.approx(2 * 0.5 / n)


def test_an_enormous_record_stays_finite():
    encoded = PointMean(TEMPLATE, 0.5).encode(np.full((1, 4, 3), 1e300))
    assert np.linalg.norm(encoded) == pytest.approx(0.5)


@pytest.mark.parametrize("clip", ["joint", "each"])
def test_files_bring_back_the_statistic(clip):
    mean = PointMean(TEMPLATE, 0.5, clip)
    again = statistic_from_json(mean.to_json())
    assert again.to_json() == mean.to_json()
    assert again.describe() == mean.describe()


def test_bad_input_is_refused():
    mean = PointMean(TEMPLATE, 0.5)
    with pytest.raises(InvalidRecordError, match=r"\(n, 4, 3\)"):
        mean.encode(np.zeros((5, 3, 3)))
    gap = np.zeros((5, 4, 3))
    gap[2, 1, 0] = np.nan
    with pytest.raises(InvalidRecordError, match="Record 3"):
        mean.encode(gap)
    for template, bound, clip in ((TEMPLATE[0], 1, "joint"), (TEMPLATE, -1, "each")):
        with pytest.raises(GeomdpError):
            PointMean(template, bound, clip)
    with pytest.raises(GeomdpError, match="'joint' or 'each'"):
        PointMean(TEMPLATE, 1.0, "some")
