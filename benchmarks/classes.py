"""Accuracy of private linear discriminants, against nearest means, no noise, and private descent.

``python -m benchmarks.classes --data FOLDER --replicates 6`` prints accuracies on records that were
not trained on, with standard errors over splits and noise. FOLDER holds
``fashion_mnist_t10k.npz``, ``pneumoniamnist_full.npz`` and ``adhd200_corpus_callosum.npz``: images
by their covariance descriptors, garments by their outlines, callosa by the sex of their owners. The
first 500 records (of callosa 107) are taken for public and used for nothing but the ball: its
centre, the radius that holds 95% of them, and a form from their covariance. Descent has the same
ball, and the best of 48 settings. Then errors of class means with private labels beside those with
public ones.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

import geomdp as dp
from benchmarks.private_descent import accuracy, descended, tuned
from geomdp.errors import InvalidRecordError
from geomdp.images import covariance_descriptors
from geomdp.shapes import resample_outline
from geomdp.spaces.forms import form_from
from geomdp.typing import Array

PUBLIC, LANDMARKS, EDGE = 500, 20, 64.0


def data_sets(folder: Path) -> Iterator[tuple[str, Array, Array]]:
    """Names, logs (n, d) and labels."""
    found = np.load(folder / "fashion_mnist_t10k.npz")
    yield "fashion", described(found["images"]), found["labels"]
    yield "garments", *outlined(found["images"], found["labels"])
    found = np.load(folder / "pneumoniamnist_full.npz")
    images, labels = (
        np.concatenate([found[f"{name}_{what}"] for name in ("train", "val", "test")])
        for what in ("images", "labels")
    )
    yield "pneumonia", described(images), np.ravel(labels)
    found = np.load(folder / "adhd200_corpus_callosum.npz")
    yield "callosa", shaped(found["landmarks"]), found["gender"].astype(int)


def described(images: Array) -> Array:
    """Return logs of covariance descriptors."""
    space = dp.SPD(9, metric="log-euclidean")
    return np.asarray(space.frame_log(np.eye(9), covariance_descriptors(images)))


def outlined(images: Array, labels: Array) -> tuple[Array, Array]:
    """Return logs of silhouettes, landmarks from the leftmost point on, and their labels."""
    from contourpy import contour_generator

    points, kept = [], []
    for image, label in zip(images, labels, strict=True):
        lines = contour_generator(z=np.pad(image.astype(float), 1)).lines(EDGE)
        try:
            longest = max(lines, key=len, default=np.zeros((0, 2)))
            points.append(resample_outline(longest * [1, -1], LANDMARKS, "left"))
        except InvalidRecordError:  # an outline that touches itself at this grey
            continue
        kept.append(label)
    return shaped(np.array(points)), np.array(kept)


def shaped(points: Array) -> Array:
    """Return logs of planar shapes at the mean of those that are public."""
    space, public = dp.PlanarShapes(points.shape[1]), order(len(points))[: publics(len(points))]
    center = dp.frechet_mean(space, space.require(points[public])).point
    return np.asarray(space.frame_log(center, space.require(points)))


def order(n: int) -> Array:
    """Return an order of the records, of which the first are public."""
    return np.random.default_rng(0).permutation(n)


def publics(n: int) -> int:
    """Return how many records are taken for public."""
    return min(PUBLIC, n // 6)


def clipped(points: Array) -> Array:
    """Shorten what is longer than 1."""
    return np.asarray(points / np.maximum(1.0, np.linalg.norm(points, axis=1, keepdims=True)))


class Task(NamedTuple):
    """A ball, and a split of the records outside the public part: of images as of outlines."""

    name: str
    ball: dp.Ball
    train: Array
    own: Array
    test: Array
    truth: Array

    @property
    def inside(self) -> tuple[Array, Array]:
        """Features in the unit ball, whitened where the ball has a form, to train and to test."""
        center, roots = np.asarray(self.ball.center), self.ball.roots
        root = np.eye(center.size) if roots is None else roots[1]
        train, test = (
            clipped((part - center) @ root / self.ball.radius) for part in (self.train, self.test)
        )
        return train, test


def balls(public: Array) -> Iterator[tuple[str, dp.Ball]]:
    """Yield a round ball and one with a form, that hold 95% of the public records."""
    center = public.mean(axis=0)
    away = public - center
    space = dp.Euclidean(center.size)
    for name, form in (("round", None), ("form", form_from(away.T @ away / len(away)))):
        unit = dp.Ball(space, center, 1.0, form=form)
        white = away if unit.roots is None else away @ unit.roots[1]
        radius = float(np.quantile(np.linalg.norm(white, axis=1), 0.95))
        yield name, dp.Ball(space, center, radius, form=form)


def tasks(logs: Array, labels: Array, replicates: int) -> Iterator[list[Task]]:
    """Yield for each ball the splits, four fifths to train on."""
    placed = order(len(logs))
    public, rest = np.split(placed, [publics(len(logs))])
    for name, ball in balls(logs[public]):
        made = []
        for seed in range(replicates):
            mixed = np.random.default_rng(seed + 1).permutation(rest)
            train, test = np.split(mixed, [len(rest) * 4 // 5])
            made.append(Task(name, ball, logs[train], labels[train], logs[test], labels[test]))
        yield made


def told(name: str, ball: str, what: str, found: list[float]) -> None:
    """Print a mean with its standard error."""
    error = np.std(found, ddof=1) / len(found) ** 0.5
    print(f"{name:<10} {ball:<6} {what:<26} {np.mean(found):.3f} ± {error:.3f}", flush=True)


def noiseless(name: str, made: list[Task]) -> None:
    """Print what can be reached without noise, of records as they are clipped."""
    for what, model in (
        ("nearest mean, no noise", NearestCentroid()),
        ("LDA, no noise", LinearDiscriminantAnalysis()),
    ):
        found = []
        for one in made:
            train, test = one.inside
            found.append(float(model.fit(train, one.own).score(test, one.truth)))
        told(name, made[0].name, what, found)


def private(name: str, mu: str, made: list[Task]) -> None:
    """Print our discriminants."""
    labels = tuple(np.unique(made[0].own).tolist())
    plan = dp.plan(dp.Classes(made[0].ball, labels), n=len(made[0].train), budget=dp.GDP(mu))
    found = []
    for one in made:
        release = plan.release(dp.Records(one.train, group=one.own))
        said = dp.classes_of(release).predict(one.test)
        found.append(float(np.mean(np.array(said) == one.truth)))
    told(name, made[0].name, f"LDA, mu {mu}", found)


def descent(name: str, mu: str, made: list[Task]) -> None:
    """Print logistic regression by private descent, tuned on a split that is not judged."""
    labels, places = np.unique(made[0].own, return_inverse=True)
    most = min(len(places), 3000)
    whole = float(mu) * len(places) / most
    chosen = tuned(made[0].inside[0][:most], places[:most], len(labels), whole)
    found = []
    for seed, one in enumerate(made):
        (train, test), own = one.inside, np.searchsorted(labels, one.own)
        weights = descended(train, own, len(labels), float(mu), chosen, seed=seed + 1)
        wanted = np.searchsorted(labels, one.truth)
        found.append(accuracy(weights, test, wanted, chosen.reach))
    told(name, made[0].name, f"descent, mu {mu}", found)
    print(f"           {chosen}", flush=True)


def logistic(name: str, mu: float, made: list[Task]) -> None:
    """Print diffprivlib's logistic regression, tuned on the records that it is judged by.

    It is pure, of the largest epsilon whose promise implies that of mu. Where it is not installed
    (it needs scikit-learn below 1.6) nothing is printed.
    """
    try:
        from diffprivlib.models import LogisticRegression
    except ImportError:
        return
    odds = norm.cdf(mu / 2)
    epsilon = float(np.log(odds / (1 - odds)))
    best: list[float] = [0.0]
    for weight in (0.01, 0.1, 1.0, 10.0, 100.0):
        found = []
        for one in made:
            train, test = one.inside
            model = LogisticRegression(epsilon=epsilon, data_norm=1.0, C=weight, max_iter=300)
            with catch_warnings():
                simplefilter("ignore")
                found.append(float(model.fit(train, one.own).score(test, one.truth)))
        best = max(best, found, key=lambda each: float(np.mean(each)))
    told(name, made[0].name, f"diffprivlib, eps {epsilon:.3g}", best)


def means(replicates: int) -> None:
    """Print errors of class means with private labels beside those with public ones, at mu 1."""
    rng, count, dim = np.random.default_rng(1), 7, 6
    labels = tuple(f"g{k}" for k in range(count))
    own = np.repeat(labels, 200)
    middles = np.repeat(0.5 * rng.standard_normal((count, dim)), 200, axis=0)
    points = (middles + 0.35 * rng.standard_normal((len(own), dim))) / dim**0.5
    records = dp.Records(points, group=own)
    truth = np.array([points[own == label].mean(axis=0) for label in labels])
    ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.2)
    sizes, budget = dict.fromkeys(labels, 200), dp.GDP(1)
    for what, unit in (("public", "public"), ("private, by groups", "private")):
        made = dp.plan(
            dp.TangentMean(ball), n=sizes, budget=budget, unit=dp.Unit.record(labels=unit)
        )
        found = [made.release(records).parts for _ in range(replicates)]
        say(what, [np.array([parts[label].value for label in labels]) - truth for parts in found])
    plan = dp.plan(dp.Classes(ball, labels), n=len(own), budget=budget)
    every = [dp.classes_of(plan.release(records)).means for _ in range(replicates)]
    say("private, Classes", [np.asarray(found) - truth for found in every])


def say(what: str, away: list[Array]) -> None:
    """Print a mean error with its standard error."""
    errors = np.array([np.mean(np.linalg.norm(one, axis=1)) for one in away])
    print(
        f"class means, labels {what:<20} {errors.mean():.4f} ± "
        f"{errors.std(ddof=1) / len(errors) ** 0.5:.4f}"
    )


def main() -> None:
    """Print a line for each data set, ball and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replicates", type=int, default=6)
    given = parser.parse_args()
    means(20 * given.replicates)
    for name, logs, labels in data_sets(given.data):
        for made in tasks(logs, labels.astype(str), given.replicates):
            noiseless(name, made)
            for mu in ("0.1", "0.3", "1"):
                private(name, mu, made)
                descent(name, mu, made)
                logistic(name, float(mu), made)


if __name__ == "__main__":
    main()
