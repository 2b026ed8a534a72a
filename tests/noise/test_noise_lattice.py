"""Records on the lattice: the norm holds in integers, sums are exact, one record at a time."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geomdp.noise.lattice import Lattice, lattice_sum, lattice_vectors

RADII = [1.0, 0.1, 41.4, 1e-9, np.nextafter(2.0, 3.0)]


def integer_squares(vectors):
    return [sum(int(q) ** 2 for q in row) for row in vectors]


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("dim", [1, 3, 400])
def test_no_vector_is_longer_than_the_radius_in_exact_arithmetic(radius, dim):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, dim))
    x *= (
        radius
        * rng.choice([0.3, 1.0, 1 + 1e-15, 7.0, 1e200], (200, 1))
        / np.linalg.norm(x, axis=1, keepdims=True)
    )
    lattice = Lattice.within(radius)
    limit = (Fraction(radius) / Fraction(2) ** lattice.exponent) ** 2
    assert all(square <= limit for square in integer_squares(lattice_vectors(x, lattice)))


def test_rounding_alone_would_exceed_the_radius():
    """Without clipping after rounding the claim is false: the mutant the integers protect from."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 400))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    lattice = Lattice.within(1.0)
    mutant = np.rint(x / lattice.step).astype(np.int64)
    assert any(square > lattice.largest_square for square in integer_squares(mutant))


@given(st.floats(1e-12, 1e12))
def test_the_limit_is_the_largest_square_within_the_radius(radius):
    lattice = Lattice.within(radius)
    exact = (Fraction(radius) / Fraction(2) ** lattice.exponent) ** 2
    assert lattice.largest_square <= exact < lattice.largest_square + 1
    assert 2**58 <= exact <= 2**60


def test_records_inside_move_by_half_a_step_at_most():
    x = np.random.default_rng(2).uniform(-0.3, 0.3, (50, 5))
    lattice = Lattice.within(1.0)
    assert np.max(np.abs(lattice_vectors(x, lattice) * lattice.step - x)) <= lattice.step / 2


def test_sums_are_exact_beyond_64_bits_of_float():
    x = np.random.default_rng(3).uniform(-1, 1, (3000, 200)) / np.sqrt(200)
    lattice = Lattice.within(1.0)
    vectors = lattice_vectors(x, lattice)
    expected = [sum(int(q) for q in column) for column in vectors.T]
    assert lattice_sum(x, lattice) == expected


def test_a_record_is_rounded_on_its_own():
    x = np.random.default_rng(4).normal(size=(100, 7))
    lattice = Lattice.within(0.5)
    alone = np.concatenate([lattice_vectors(row[None], lattice) for row in x])
    np.testing.assert_array_equal(lattice_vectors(x, lattice), alone)


def test_a_record_without_numbers_counts_as_the_centre():
    x = np.array([[np.nan, 0.1], [np.inf, 0.0], [0.25, 0.0]])
    lattice = Lattice.within(1.0)
    assert lattice_sum(x, lattice) == [round(0.25 / lattice.step), 0]
