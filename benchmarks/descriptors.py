"""Seconds for the covariance descriptors of 10,000 images, against one image at a time.

Run ``python benchmarks/descriptors.py``; set OMP_NUM_THREADS=1 for one core.
"""

import time

import numpy as np
from scipy.ndimage import convolve

from geomdp.images import covariance_descriptors

SOBEL = np.outer([1, 2, 1], [1, 0, -1]) / 4
SECOND = np.outer([1, 4, 6, 4, 1], [1, 0, -2, 0, 1]) / 32


def one_image(image: np.ndarray, eta: float = 1e-6) -> np.ndarray:
    """Write the obvious program: four convolutions and a covariance for each image."""
    grey = image / 255.0
    ix, iy, ixx, iyy = (
        np.abs(convolve(grey, kernel, mode="nearest"))
        for kernel in (SOBEL, SOBEL.T, SECOND, SECOND.T)
    )
    ix, iy = (d * (d > 1e-12) for d in (ix, iy))
    y, x = (
        axis / (side - 1) for axis, side in zip(np.indices(grey.shape), grey.shape, strict=True)
    )
    features = [x, y, grey, ix, iy, ixx, iyy, np.hypot(ix, iy), np.arctan2(ix, iy)]
    covariance = np.cov(np.reshape(features, (len(features), -1)), bias=True)
    return covariance + eta * np.eye(len(features))


def main(n: int = 10_000, subset: int = 1_000, repeats: int = 3) -> None:
    """Print the best of several runs and the ratio per image."""
    images = np.random.default_rng(0).integers(0, 256, (n, 28, 28), dtype=np.uint8)
    batched, naive = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        ours = covariance_descriptors(images)
        batched.append(time.perf_counter() - start)
        start = time.perf_counter()
        theirs = np.array([one_image(image) for image in images[:subset]])
        naive.append((time.perf_counter() - start) * n / subset)
    difference = np.abs(ours[:subset] - theirs).max()
    print(f"{n} images of 28 x 28, batched:        {min(batched):7.2f} s")
    print(f"one at a time (from {subset} images):    {min(naive):7.2f} s")
    print(f"ratio {min(naive) / min(batched):.1f}, largest difference {difference:.1e}")


if __name__ == "__main__":
    main()
