"""Accuracy of private linear discriminants on images, against nearest means and without noise.

``python -m benchmarks.classes --data FOLDER --replicates 10`` prints accuracies on held-out images
with standard errors. FOLDER holds ``fashion_mnist_t10k.npz`` and ``pneumoniamnist_full.npz``. The
ball is stated from the first 500 images, which are taken for public and used for nothing else.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
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


def main() -> None:
    """Print a line for each data set and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replicates", type=int, default=10)
    given = parser.parse_args()
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


if __name__ == "__main__":
    main()
