"""Private regressions of real records on age and sex: outlines of callosa, and gut bacteria.

647 corpora callosa (ages 7 to 22) in a ball around a public template of another study, and 1006
adults' phyla as points of a sphere, in the ball of all compositions and in one found privately.
Printed are changes over the whole range of age and between the sexes: without privacy, the error
that privacy adds (root mean square over seeded repeats), what the releases say of it, and the
share of 95% bands at the ends of the range that cover the fit without privacy. For callosa also on
one half of the records with radius and form from the other half, which stands for a published
covariance.

``python -m benchmarks.growth [repeats]`` with the data in ``../shared/data``; it says so if they
are not there. Noise is seeded and repeated, so nothing here is a release.
"""

import sys
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.noise.entropy import SeededEntropy
from geomdp.releases.estimates import RegressionEstimate
from geomdp.spaces.compositions import composition_to_sphere
from geomdp.spaces.forms import form_from, roots_of
from geomdp.statistics.encoded import Encoded, encode

DATA = Path(__file__).parents[1] / "../shared/data"
BUDGETS = (dp.GDP(1), dp.GDP(3), dp.Pure(3))


def callosa():
    """Landmarks, age and sex; the ball is public: another study's template."""
    with np.load(DATA / "adhd200_corpus_callosum.npz") as file:
        landmarks, age, sex = file["landmarks"], file["age"], file["gender"]
    with np.load(DATA / "public_callosum_template.npz") as file:
        template = file["landmarks"]
    space = dp.PlanarShapes(50)
    known = (age > 0) & np.isin(sex, (0, 1))
    center = space.canonical(template[:, 0] + 1j * template[:, 1])
    data = dp.Records(landmarks[known], covariates={"age": age[known], "sex": sex[known]})
    return dp.Ball(space, center, 0.14), {"age": (7, 22), "sex": ("0", "1")}, data


def phyla():
    """Eight phyla by square roots; the ball holds all compositions."""
    with np.load(DATA / "atlas1006_gut_composition.npz") as file:
        shares, age, sex = file["phylum_composition"], file["age"], file["sex"]
    known = (age > 0) & np.isin(sex, ("female", "male"))  # below: a mark for missing
    points = composition_to_sphere(shares[known])
    center = np.full(8, np.sqrt(1 / 8))
    data = dp.Records(points, covariates={"age": age[known], "sex": sex[known]})
    ball = dp.Ball(dp.Sphere(7), center, float(np.arccos(np.sqrt(1 / 8))), wide=True)
    return ball, {"age": (18, 78), "sex": ("female", "male")}, data


def compare(ball, covariates, data, repeats):
    """Print one line a budget."""
    asked = dp.Regression(ball, covariates)
    encoded = encode(asked, data, "public")
    plain = RegressionEstimate(asked, len(data), asked.estimate(encoded), 1e-12)
    low, high = covariates["age"]
    levels = covariates["sex"]
    ends = [{"age": age, "sex": levels[0]} for age in (low, high)]
    truth = [
        np.asarray(plain.slope("age").vector) * (high - low),
        plain.difference("sex", *levels).vector,
    ]
    for name, vector, effect in zip(
        ("age", "sex"), truth, (plain.slope("age"), plain.difference("sex", *levels)), strict=True
    ):
        factor = high - low if name == "age" else 1
        print(f"  without privacy, {name}: {np.linalg.norm(vector):.4f}, sampling error "
              f"{factor * effect.sampling:.4f}")  # fmt: skip
    for budget in BUDGETS:
        plan = dp.plan(asked, n=len(data), budget=budget, invalid="public")
        squares, said, covered, floors = [], [], [], 0
        for seed in range(repeats):
            found = simulated(plan, encoded, seed)
            both = found.slope("age"), found.difference("sex", *levels)
            squares.append(
                [
                    np.sum((both[0].vector * (high - low) - truth[0]) ** 2),
                    np.sum((both[1].vector - truth[1]) ** 2),
                ]
            )
            said.append([both[0].privacy * (high - low), both[1].privacy])
            covered += [found.band(**at).contains(plain.predict(**at)) for at in ends]
            floors += found.floored > 0
        errors, words = np.sqrt(np.mean(squares, axis=0)), np.median(said, axis=0)
        print(
            f"  {budget!r:18} age error {errors[0]:.4f} (said {words[0]:.4f}), sex error "
            f"{errors[1]:.4f} (said {words[1]:.4f}), bands cover {np.mean(covered):.2f}, floor "
            f"reached {floors} of {repeats}",
            flush=True,
        )


def simulated(plan, encoded, seed):
    """Return a release with seeded noise, read."""
    rows = Encoded.of(np.asarray(encoded))
    value = plan._mechanism.draw(plan.calibration, rows, SeededEntropy(seed))[0]
    return dp.regression_of(dp.Release(plan, value, {}))


def found_ball(ball, budget, data):
    """Return a narrower ball, found privately; seeds do not reach stages."""
    points = dp.Records(data.points)
    release = dp.plan(dp.PrivateBall(ball), n=len(data), budget=budget, invalid="public")
    return dp.ball_of(release.release(points))


def halves(ball, data):
    """Return a round and a shaped ball from every other record, and the other records."""
    space, half = ball.space, np.arange(len(data)) % 2 == 0
    points = space.canonical(space.doubles(data.points))
    logs = np.asarray(space.frame_log(ball.center, points[half]))
    form = form_from(logs.T @ logs / len(logs))
    white = logs @ roots_of(form)[1]
    radii = (np.quantile(np.linalg.norm(x, axis=1), 0.99) for x in (logs, white))
    balls = [
        dp.Ball(space, ball.center, float(radius), form=shape)
        for radius, shape in zip(radii, (None, form), strict=True)
    ]
    return balls, data.rows(~half)


def main(repeats: int = 100) -> None:
    """Print both populations."""
    if not DATA.is_dir():
        print("The data are not here; nothing to do.")
        return
    for name, load in (("callosa", callosa), ("gut phyla", phyla)):
        ball, covariates, data = load()
        print(f"{name}: {len(data)} records, dimension {ball.space.dim}, radius {ball.radius:.3f}")
        compare(ball, covariates, data, repeats)
        if name == "callosa":
            balls, rest = halves(ball, data)
            for one, words in zip(balls, ("round", "shaped"), strict=True):
                print(f"{name}, {len(rest)} records, {words} ball of radius {one.radius:.3f}")
                compare(one, covariates, rest, repeats)
    found = found_ball(ball, dp.GDP("0.5"), data)
    print(f"{name} in a ball found for mu 0.5 beside the rest: radius {found.radius:.3f}")
    compare(found, covariates, data, repeats)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
