"""What a mean over many sites would take: bytes, rounds, bits and noise, from this code's sizes.

``python -m benchmarks.sites`` prints the tables of docs/how-to/internet-scale.md.
"""

import pickle
from functools import partial

import numpy as np

import geomdp as dp
from geomdp.noise.lattice import Lattice
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.solving.passes import Chunk, Passes, fast_sum
from geomdp.statistics.solving.solver import solve

RECORDS, SITES = 10**9, 1000
BALLS = {
    "SPD(3), affine": dp.Ball(dp.SPD(3), np.eye(3), 1.0),
    "SPD(30), affine": dp.Ball(dp.SPD(30), np.eye(30), 1.0),
    "Sphere(100)": dp.Ball(dp.Sphere(100), np.eye(101)[-1], 0.7),
}
#: Records of which the passes are counted: their number hardly depends on it.
FEW = 2000


def frechet_row(name: str, ball: dp.Ball) -> str:
    """Bytes a round to and from a site, and rounds, for a Fréchet mean."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((FEW, ball.space.dim)) * ball.radius / ball.space.dim**0.5 / 2
    points = np.asarray(ball.space.frame_exp(ball.center, vectors))
    at = ball.center
    question = len(pickle.dumps(partial(fast_sum, ball.space, at)))
    answer = len(pickle.dumps(fast_sum(ball.space, at, Chunk(points))))
    mean = dp.FrechetMean(ball)
    goal = mean.tolerance(RECORDS) / 4
    encoded = mean.encode(points)

    def ask(asked):
        yield [asked(encoded)]

    there = Encoded(lambda: iter(()), FEW, {}, False, ask)
    passes = solve(Passes.of(ball.space, there, at), tol=goal, start=at).passes
    total = SITES * passes * (question + answer)
    return f"| {name} | {question} | {answer} | {passes} | {total / 1e6:.1f} MB |"


def linear_row(name: str, ball: dp.Ball) -> str:
    """Bits of the exact sums of a tangent mean, and the noise of one release."""
    mean = dp.TangentMean(ball)
    lattice = Lattice.within(mean.radius, mean.record_bits)
    largest = int(np.sqrt(float(lattice.largest_square)))
    bits = (2 * RECORDS * largest + 1).bit_length()
    dim = mean.noise_profile.size
    made = dp.plan(mean, n=RECORDS, budget=dp.GDP(1), mechanism="tangent-gaussian")
    site = dp.plan(mean, n=RECORDS // SITES, budget=dp.GDP(1), mechanism="tangent-gaussian")
    alone = site.expected_error / SITES**0.5
    size = dim * -(-bits // 8)
    return f"| {name} | {dim} | {bits} | {size} | {made.expected_error:.2g} | {alone:.2g} |"


def main() -> None:
    print("| mean | bytes to a site | bytes back | rounds | all sites, all rounds |")
    print("|---|---|---|---|---|")
    for name, ball in BALLS.items():
        print(frechet_row(name, ball))
    print("\n| tangent mean | coordinates | bits | bytes a site | error | sites apart |")
    print("|---|---|---|---|---|---|")
    for name, ball in BALLS.items():
        print(linear_row(name, ball))


if __name__ == "__main__":
    main()
