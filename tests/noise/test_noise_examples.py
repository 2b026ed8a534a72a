"""Small examples of what stands inside the room, by hand."""

from fractions import Fraction

import numpy as np
from log_gaussian import LogGaussian, log_jacobian

from geomdp.noise.directions import normals
from geomdp.noise.discrete_exponential import draw_index, draw_indices, probabilities
from geomdp.noise.entropy import SeededEntropy, UniformReals
from geomdp.noise.float_functions import turn
from geomdp.noise.hat import fit_hat
from geomdp.noise.kng_law import KngLaw, gradient_norms
from geomdp.noise.lattice import Lattice, block_vectors, lattice_sum
from geomdp.noise.lattice_gaussian import rounded_gaussian
from geomdp.noise.radial_law import BallLaplaceLaw, LaplaceLaw, RiemannianGaussianLaw
from geomdp.noise.rejection import round_to_grid
from geomdp.noise.tangent_hat import fit_tangent_hat
from geomdp.spaces import Ball


def test_normals():
    import numpy as np

    assert (normals(np.array([[np.exp(-0.5), 0.25]]), 2).round(6).tolist()) == [[0.0, 1.0]]


def test_draw_index():
    from geomdp.noise.entropy import SeededEntropy

    weights = [(0, Fraction(0)), (1, Fraction(10**6)), (0, Fraction(0))]
    assert ([draw_index(weights, SeededEntropy(seed, exact=True)) for seed in range(5)]) == [
        2,
        0,
        2,
        2,
        0,
    ]


def test_draw_indices():
    from geomdp.noise.entropy import SeededEntropy

    assert (draw_indices([(0, Fraction(10**6)), (0, Fraction(0))], SeededEntropy(0), 3)) == [
        1,
        1,
        1,
    ]


def test_probabilities():
    assert (probabilities([(0, Fraction(0)), (0, Fraction(0)), (1, Fraction(0))]).tolist()) == [
        0.25,
        0.25,
        0.5,
    ]


def test_seededentropy():
    assert SeededEntropy(1).take(4) == SeededEntropy(1).take(4)


def test_turn():
    cosine, sine = turn(np.array([0.0, 0.25, 0.5]))
    assert (np.abs(cosine).tolist(), np.abs(sine).tolist()) == ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])


def test_knglaw():
    import geomdp as dp
    from geomdp.noise.entropy import SeededEntropy
    from geomdp.noise.kng_envelope import public_envelope
    from geomdp.noise.rejection import draw_floats

    ball = Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    at = ball.center
    law = KngLaw(ball, at[None], at, public_envelope(ball, 0.6, 1e-6), 0.01, -40)
    assert (draw_floats(law, SeededEntropy(0), 5).shape) == (5, 3)


def test_gradient_norms():
    import geomdp as dp

    records = np.array([[0.0, 0.0], [2.0, 0.0]])
    assert (gradient_norms(dp.Euclidean(2), np.array([[1.0, 3.0]]), records).tolist()) == [3.0]


def test_lattice():
    lattice = Lattice.within(1.0)
    assert (lattice.exponent, lattice.largest_square == 2 ** (2 * 29)) == (-29, True)


def test_block_vectors():
    lattice = Lattice.within(1.0)
    assert (
        (block_vectors(np.array([[3.0, 0.0, 0.5]]), lattice, (2, 1)) * lattice.step).tolist()
    ) == [[1.0, 0.0, 0.5]]


def test_lattice_sum():
    lattice = Lattice.within(1.0)
    assert (
        [total * lattice.step for total in lattice_sum(np.array([[0.5, 0.0], [9.0, 0.0]]), lattice)]
    ) == [1.5, 0.0]


def test_loggaussian():
    from geomdp.noise.entropy import SeededEntropy

    law = LogGaussian(np.eye(2), 0.01 * np.eye(3))
    assert (law.sample(5, SeededEntropy(0)).shape, round(float(law.log_density(np.eye(2))), 3)) == (
        (5, 2, 2),
        4.151,
    )


def test_log_jacobian():
    assert (float(log_jacobian(np.eye(2)))) == 0.0


def test_rounded_gaussian():
    from geomdp.noise.entropy import SeededEntropy

    assert (
        rounded_gaussian([Fraction(10**30), Fraction(1, 3)], np.array([1.0, 5.0]), SeededEntropy(1))
    ) == [1000000000000000000000000000002, 6]


def test_balllaplacelaw():
    import geomdp as dp
    from geomdp.noise.entropy import SeededEntropy
    from geomdp.noise.rejection import draw_floats

    ball = Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    points = draw_floats(BallLaplaceLaw(ball, ball.center, 0.5), SeededEntropy(0), 100)
    assert bool(np.all(ball.space.dist(ball.center, points) <= 0.3))


def test_laplacelaw():
    import numpy as np

    import geomdp as dp
    from geomdp.noise.entropy import SeededEntropy
    from geomdp.noise.rejection import draw_floats

    law = LaplaceLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    assert (draw_floats(law, SeededEntropy(0), 4).shape) == (4, 3)


def test_riemanniangaussianlaw():
    import numpy as np

    import geomdp as dp
    from geomdp.noise.entropy import SeededEntropy
    from geomdp.noise.rejection import draw_floats

    law = RiemannianGaussianLaw(dp.Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    assert (draw_floats(law, SeededEntropy(0), 4).shape) == (4, 3)


def test_round_to_grid():
    from geomdp.intervals import from_floats

    assert (round_to_grid(from_floats(np.array([1.7])), -2).tolist()) == [7]


def test_fit_tangent_hat():
    hat = fit_tangent_hat([(lambda t: -t * t / 2, 0.0, 9.0)])
    area = float(np.sum(hat.areas(np.ones(1)))) * np.exp(hat.top)
    assert bool(1.0 < area / np.sqrt(np.pi / 2) < 1.02)


def test_uniform_reals():
    u = UniformReals(SeededEntropy(0), 2)
    coarse, fine = u.intervals(64), u.intervals(256)
    assert coarse[0, 0].contains(fine[0, 0])
    later = UniformReals.continuing(SeededEntropy(0), [2**63])
    assert later.intervals(128)[0, 0] > 0.5


def test_fit_hat():
    hat = fit_hat(lambda t: -t, guess=1.0, end=float("inf"))
    assert (hat.left, round(hat.right, 3), round(hat.fall, 3)) == (0.0, 0.0, 1.0)
