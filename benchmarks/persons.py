"""Persons with 5 to 60 records: all of a person's records as one, or a maximum of k a person.

200 persons on the sphere, each about a direction of their own; mu = 1 a person. With a maximum, the
first k records of a person count, and n is the public number of records kept. Errors are distances
to the target that each estimates: the mean of the persons' means, or of the kept records.
``python -m benchmarks.persons [repeats]``
"""

import sys

import numpy as np

import geomdp as dp

PERSONS = 200
#: Standard deviations between persons and of one person's records.
BETWEEN, WITHIN = 0.05, 0.2
#: Holds nearly all records, and nearly all persons' means.
WIDE, NARROW = 0.65, 0.25
SPACE = dp.Sphere(2)
NORTH = np.array([0.0, 0.0, 1.0])


def study(rng):
    """Return records and who they belong to."""
    counts = rng.integers(5, 61, PERSONS)
    who = np.repeat(np.arange(PERSONS), counts)
    own = BETWEEN * rng.standard_normal((PERSONS, 2))
    logs = own[who] + WITHIN * rng.standard_normal((len(who), 2))
    return np.asarray(SPACE.frame_exp(NORTH, logs)), who


def first(who, most):
    """Mark the first records of each person."""
    order = np.argsort(who, kind="stable")
    rank = np.arange(len(who)) - np.searchsorted(who[order], who[order])
    kept = np.empty(len(who), dtype=bool)
    kept[order] = rank < most
    return kept


def tangent(radius):
    """Mean of the clipped logs."""
    return dp.TangentMean(dp.Ball(SPACE, NORTH, radius))


def main(repeats: int = 100) -> None:
    """Print noise and errors."""
    rng = np.random.default_rng(0)
    points, who = study(rng)
    logs = np.asarray(SPACE.frame_log(NORTH, points))
    means = np.stack([logs[who == j].mean(axis=0) for j in range(PERSONS)])
    rows = []
    for name, radius in (("pooled, wide ball", WIDE), ("pooled, narrow ball", NARROW)):
        plan = dp.plan(tangent(radius), n=PERSONS, budget=dp.GDP(1), unit=dp.Unit.person())
        rows.append((name, plan, points, who, means.mean(axis=0)))
    for most in (1, 5, 20, 60):
        kept = first(who, most)
        unit = dp.Unit.person(max_records=most)
        plan = dp.plan(tangent(WIDE), n=int(kept.sum()), budget=dp.GDP(1), unit=unit)
        rows.append((f"at most {most}", plan, points[kept], who[kept], logs[kept].mean(axis=0)))
    print(f"{PERSONS} persons, {len(who)} records")
    for name, plan, data, owners, target in rows:
        truth = np.asarray(SPACE.frame_exp(NORTH, target))
        errors = [
            float(SPACE.dist(truth, plan.release(dp.Records(data, person=owners)).value))
            for _ in range(repeats)
        ]
        mean, spread = np.mean(errors), np.std(errors, ddof=1) / np.sqrt(repeats)
        print(f"{name:20} noise {plan.scale:.5f}  error {mean:.5f} (se {spread:.5f})", flush=True)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
