"""A record replaced by anything moves the integer sum by twice the radius at most, on every space.

Cut loci, half turns, singular matrices and shapes, text that is no number (docs/theory/charts.md).
"""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.noise.lattice import Lattice, lattice_vectors
from geomdp.testing import hostile_records

CORNER = np.concatenate([np.zeros((1, 3)), np.diag([1.0, 2.0, 3.0]), np.ones((1, 3))])
POSES = dp.Product(dp.Rotations(), dp.Euclidean(2), weights=(1.0, 0.25))
BALLS = [
    dp.Ball.whole(dp.Rotations()),
    dp.Ball(dp.Correlation(3), np.eye(3), 2.0),
    dp.Ball(dp.SizeAndShape(5), CORNER, 0.7),
    dp.Ball(dp.Shapes(5), CORNER, 0.7),
    dp.Ball(POSES, POSES.origin(np.zeros(1)), 1.0),
    dp.Ball.whole(dp.Product(dp.Sphere(2), dp.PlanarShapes(4))),
]


@pytest.mark.parametrize("ball", BALLS, ids=lambda ball: ball.space.spec)
def test_a_replaced_record_moves_the_sum_by_twice_the_radius_at_most(ball):
    mean, rng = dp.TangentMean(ball), np.random.default_rng(4)
    records = hostile_records(ball.space, ball, 400, rng)
    vectors = mean.admit(records).records
    assert np.all(np.isfinite(vectors))
    lattice = Lattice.within(ball.radius, mean.record_bits)
    integers = lattice_vectors(vectors, lattice)
    squares = [sum(int(v) ** 2 for v in row) for row in integers]
    # Two vectors of length r at most are 2r apart at most: exact, in integers.
    assert max(squares) <= (Fraction(ball.radius) / Fraction(lattice.step)) ** 2
    assert max(squares) > 0.9 * (ball.radius / lattice.step) ** 2
    # And none of the others knows of it.
    kept = rng.integers(0, 2, size=400) == 1
    others = records.copy()
    others[~kept] = hostile_records(ball.space, ball, int(np.sum(~kept)), rng)
    np.testing.assert_array_equal(mean.admit(others).records[kept], vectors[kept])
