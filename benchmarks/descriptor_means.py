"""Error of private mean descriptors against epsilon, as in section 6.2 of Utpala et al. (2023).

Class means of PneumoniaMNIST and Fashion-MNIST (grey), and of patches of scikit-image's pictures
(RGB); Laplace and tangent Gaussian, with the paper's radius and with ours, ten repetitions. Run
``python -m benchmarks.descriptor_means FOLDER`` for a figure a data set; without a folder only the
table is printed. Data sets that are not beside the checkout are left out.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import geomdp as dp
from geomdp.images import covariance_descriptors, descriptor_ball
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics import TangentMean

DATA = Path(__file__).parents[1] / "../shared/data"
EPSILONS = (0.1, 0.3, 0.5, 0.7, 0.9)
DELTAS = (1e-5, 1e-7, 1e-9)
REPEATS = 10
CLASSES = 4
PICTURES = ("astronaut", "coffee", "chelsea", "rocket")


def grey_classes(file: str, images: str, labels: str) -> Iterator[tuple[str, np.ndarray]]:
    """Images of each class of a stored data set."""
    if not (DATA / file).exists():
        return
    with np.load(DATA / file) as stored:
        pixels, kinds = stored[images], stored[labels].ravel()
    for kind in np.unique(kinds)[:CLASSES]:
        yield f"class {kind}", pixels[kinds == kind]


def rgb_patches(size: int = 28, step: int = 14) -> Iterator[tuple[str, np.ndarray]]:
    """Overlapping patches of scikit-image's bundled pictures, constant ones left out."""
    try:
        from skimage import data
    except ImportError:
        return
    for name in PICTURES:
        picture = getattr(data, name)()[..., :3]
        windows = np.lib.stride_tricks.sliding_window_view(picture, (size, size), axis=(0, 1))
        patches = np.moveaxis(windows[::step, ::step], 2, -1).reshape(-1, size, size, 3)
        yield name, patches[np.ptp(patches.reshape(len(patches), -1), axis=1) > 0]


def data_sets() -> dict[str, list[tuple[str, np.ndarray]]]:
    """All images by data set and class."""
    found = {
        "PneumoniaMNIST": list(
            grey_classes("pneumoniamnist_full.npz", "train_images", "train_labels")
        ),
        "Fashion-MNIST": list(grey_classes("fashion_mnist_t10k.npz", "images", "labels")),
        "RGB patches": list(rgb_patches()),
    }
    return {name: classes for name, classes in found.items() if classes}


class LogMean(TangentMean):
    """The log-Euclidean mean, released as the logarithm's coordinates.

    At the smallest epsilons the noise is so wide that no matrix of floats can hold its exponential.
    """

    def decode(self, coordinates: np.ndarray) -> np.ndarray:
        """Leave coordinates as they are."""
        return coordinates


def errors(
    mean: LogMean, encoded: np.ndarray, budget: dp.Budget, mechanism: str, seed: int
) -> np.ndarray:
    """Log-Euclidean distances of ten simulated releases from the mean."""
    plan = dp.plan(mean, n=len(encoded), budget=budget, mechanism=mechanism)
    drawn = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), REPEATS)
    return np.linalg.norm(drawn - mean.estimate(encoded), axis=1)


def curves(ball: dp.Ball, descriptors: np.ndarray, first: int) -> dict[str, list[np.ndarray]]:
    """Errors by mechanism, one entry an epsilon; wrapped-laplace is laplace on a flat space."""
    mean = LogMean(ball)
    encoded = mean.encode(descriptors)

    def line(seed: int, mechanism: str, kind: Callable[[float], dp.Budget]) -> list[np.ndarray]:
        return [
            errors(mean, encoded, kind(epsilon), mechanism, first + 10 * seed + i)
            for i, epsilon in enumerate(EPSILONS)
        ]

    found = {"Laplace": line(0, "wrapped-laplace", dp.Pure)}
    for seed, delta in enumerate(DELTAS, start=1):
        found[f"tangent Gaussian, delta {delta:g}"] = line(
            seed, "tangent-gaussian", partial(_approximate, delta)
        )
    return found


def _approximate(delta: float, epsilon: float) -> dp.Budget:
    return dp.Approximate(epsilon, delta)


def draw_figure(file: Path, panels: dict[str, dict[str, dict[str, list[np.ndarray]]]]) -> None:
    """One column a class, one row a radius; bands are two standard deviations."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, len(panels), figsize=(3.2 * len(panels), 5.6), sharex=True, squeeze=False
    )
    for column, (title, by_bound) in zip(axes.T, panels.items(), strict=True):
        for axis, (bound, lines) in zip(column, by_bound.items(), strict=True):
            for label, values in lines.items():
                middle = np.array([v.mean() for v in values])
                spread = 2 * np.array([v.std() for v in values])
                axis.plot(EPSILONS, middle, label=label)
                axis.fill_between(EPSILONS, middle - spread, middle + spread, alpha=0.25)
            axis.set_title(f"{title}, {bound} radius", fontsize=8)
            axis.set_ylim(bottom=0)
        column[-1].set_xlabel("epsilon")
    axes[0, 0].legend(fontsize=6)
    axes[0, 0].set_ylabel("log-Euclidean error")
    figure.tight_layout()
    figure.savefig(file, dpi=150)
    plt.close(figure)


def main() -> None:
    """Print the table, and draw the figures if a folder is given."""
    folder = Path(sys.argv[1]) if __name__ == "__main__" and len(sys.argv) > 1 else None
    for name, classes in data_sets().items():
        panels = {}
        for index, (kind, images) in enumerate(classes):
            channels = 3 if images.ndim == 4 else 1
            descriptors = covariance_descriptors(images)
            title = f"{kind}, n = {len(images)}"
            balls = {
                bound: descriptor_ball(channels, images.shape[1:3], bound=bound)
                for bound in ("paper", "sharp")
            }
            # One noise for both radii: the figures then differ by the radius alone.
            panels[title] = {
                bound: curves(ball, descriptors, 100 * index) for bound, ball in balls.items()
            }
            for bound, lines in panels[title].items():
                row = "; ".join(
                    f"{label} {values[0].mean():.3g} to {values[-1].mean():.3g}"
                    for label, values in lines.items()
                )
                print(f"{name}, {title}, {bound} radius: epsilon 0.1 to 0.9: {row}", flush=True)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"descriptor-means-{name.lower().replace(' ', '-')}.png"
            draw_figure(file, panels)


if __name__ == "__main__":
    main()
