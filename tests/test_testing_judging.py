"""What properties of spaces are judged by, and the models that they are compared with."""

import re

import numpy as np
import pytest

from geomdp.noise.float_functions import log
from geomdp.testing.geometry import model_side
from geomdp.testing.judging import require_at_most, require_close, require_true
from geomdp.testing.samples import unit_vectors


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (
            lambda: require_at_most("the gap", np.array([0.0, 0.5, np.nan]), 1.0),
            "the gap is nan at sample 2, and must be at most 1",
        ),
        (
            lambda: require_close("the length", np.array([1, 2.0]), np.array([1, 2.5]), atol=0.1),
            "the length is 2 where 2.5 is expected, at sample 1",
        ),
        (lambda: require_true("the centre must be a point", False), "the centre must be a point"),
    ],
)
def test_what_fails_names_its_worst_case(judge, said):
    with pytest.raises(AssertionError, match=re.escape(said)):
        judge()


def test_models():
    assert float(model_side(0.0, 3.0, 4.0, 0.0)) == 5.0
    lengths = np.linalg.norm(unit_vectors(np.random.default_rng(0), 2, 3), axis=1)
    assert lengths.round(12).tolist() == [1.0, 1.0]
    assert float(log(np.array([0.5]))[0]) == -0.6931471805599453
