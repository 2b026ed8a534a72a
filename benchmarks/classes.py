"""Accuracy of private linear discriminants on images, against nearest means and without noise.

``python -m benchmarks.classes --data FOLDER --replicates 10`` prints accuracies on held-out images
with standard errors. FOLDER holds ``fashion_mnist_t10k.npz`` and ``pneumoniamnist_full.npz``. The
ball is stated from the first 500 images, which are taken for public and used for nothing else. Then
errors of class means with private labels beside those with public ones.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

import geomdp as dp
from geomdp.images import covariance_descriptors
from geomdp.typing import Array

PUBLIC = 500


def data_sets(folder: Path) -> Iterator[tuple[str, Array, Array]]:
    """Images and labels."""
    found = np.load(folder / "fashion_mnist_t10k.npz")
    yield "fashion", found["images"], found["labels"]
    found = np.load(folder / "pneumoniamnist_full.npz")
    names = ("train", "val", "test")
    images, labels = (
        np.concatenate([found[f"{name}_{what}"] for name in names]) for what in ("images", "labels")
    )
    yield "pneumonia", images, labels


def clipped(points: Array) -> Array:
    """Shorten what is longer than 1."""
    return np.asarray(points / np.maximum(1.0, np.linalg.norm(points, axis=1, keepdims=True)))


def logistic(
    name: str, mu: float, train: Array, test: Array, own: Array, truth: Array, replicates: int
) -> None:
    """Print diffprivlib's logistic regression, tuned on the images that it is judged by.

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
        for _ in range(replicates):
            model = LogisticRegression(epsilon=epsilon, data_norm=1.0, C=weight, max_iter=300)
            with catch_warnings():
                simplefilter("ignore")
                found.append(float(model.fit(train, own).score(test, truth)))
        best = max(best, found, key=lambda each: float(np.mean(each)))
    error = np.std(best, ddof=1) / len(best) ** 0.5
    print(f"{name:<10} {f'its logistic, eps {epsilon:.3g}':<24} {np.mean(best):.3f} ± {error:.3f}")


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
    """Print a line for each data set and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replicates", type=int, default=10)
    given = parser.parse_args()
    means(20 * given.replicates)
    for name, images, labels in data_sets(given.data):
        space = dp.SPD(9, metric="log-euclidean")
        logs = np.asarray(space.frame_log(np.eye(9), covariance_descriptors(images)))
        order = np.random.default_rng(0).permutation(len(logs))
        logs, texts = logs[order], labels[order].astype(str)
        public, logs, texts = logs[:PUBLIC], logs[PUBLIC:], texts[PUBLIC:]
        center = public.mean(axis=0)
        radius = float(np.quantile(np.linalg.norm(public - center, axis=1), 0.95))
        ball = dp.Ball(dp.Euclidean(logs.shape[1]), center, radius)
        cut = len(logs) * 4 // 5
        (train, test), (own, truth) = np.split(logs, [cut]), np.split(texts, [cut])
        for what, model in (
            ("nearest mean, no noise", NearestCentroid()),
            ("LDA, no noise", LinearDiscriminantAnalysis()),
        ):
            print(f"{name:<10} {what:<24} {model.fit(train, own).score(test, truth):.3f}")
        asked = dp.Classes(ball, tuple(np.unique(texts).tolist()))
        for mu in ("0.1", "0.3", "1"):
            plan = dp.plan(asked, n=cut, budget=dp.GDP(mu))
            records = dp.Records(train, group=own)
            right = np.array(
                [
                    np.mean(np.array(dp.classes_of(plan.release(records)).predict(test)) == truth)
                    for _ in range(given.replicates)
                ]
            )
            error = right.std(ddof=1) / len(right) ** 0.5
            print(f"{name:<10} {'mu ' + mu:<24} {right.mean():.3f} ± {error:.3f}", flush=True)
            inside = [clipped((part - center) / radius) for part in (train, test)]
            logistic(name, float(mu), *inside, own, truth, given.replicates)


if __name__ == "__main__":
    main()
