"""Disk maps compared: time, angle error and agreement of harmonic measure and Choi-Lui.

Run with ``python -m papers.benchmarks.disk_map``, on hemispheres of growing size; on faces it is a
part of ``geomdp study disk-maps``.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.spatial import Delaunay
from threadpoolctl import threadpool_limits

from geomdp.surfaces.disk.mapping import (
    DiskMap,
    angle_error,
    conformal_map,
    flipped_triangles,
    mobius,
)
from geomdp.surfaces.mesh.surface import Surface
from geomdp_papers.disk.automorphisms import best_automorphism

REPEATS = 5


def hemisphere(count: int) -> Surface:
    """Points of a Vogel spiral with an even rim, projected to the upper half of the sphere."""
    index = np.arange(count)
    inner = np.sqrt((index + 0.5) / count) * np.exp(2.399963229728653j * index)
    rim = int(np.sqrt(4 * np.pi * count))
    inner *= 1 - 0.5 * np.pi / rim
    z = np.concatenate([[0], inner[1:], np.exp(2j * np.pi * np.arange(rim) / rim)])
    faces = Delaunay(np.stack([z.real, z.imag], axis=1)).simplices
    square = np.abs(z) ** 2
    points = np.stack([2 * z.real, 2 * z.imag, 1 - square], axis=1) / (1 + square)[:, None]
    return Surface(points, faces, f"hemisphere {count}")


def best_time(compute: Callable[[], DiskMap]) -> tuple[DiskMap, float]:
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        result = compute()
        times.append(perf_counter() - start)
    return result, min(times)


def compare(surface: Surface, center: int) -> str:
    ours, our_time = best_time(lambda: conformal_map(surface, center))
    theirs, their_time = best_time(lambda: conformal_map(surface, center, "choi-lui"))
    moved = mobius(theirs.z, *best_automorphism(theirs.z, ours.z))
    flips = [flipped_triangles(found.z, surface.faces) for found in (ours, theirs)]
    return (
        f"{surface.name:18s} {len(surface.vertices):6d} | {our_time:6.3f} s "
        f"{angle_error(surface, ours.z):6.3f} deg | {their_time:6.3f} s "
        f"{angle_error(surface, theirs.z):6.3f} deg | {their_time / our_time:5.2f} | "
        f"{np.abs(moved - ours.z).max():.4f} | flips {flips[0]}, {flips[1]}"
    )


def main() -> None:
    print("surface          vertices | harmonic measure    | choi-lui            | ratio | apart")
    with threadpool_limits(limits=1):
        for count in (2000, 7000, 17000):
            print(compare(hemisphere(count), 0))


if __name__ == "__main__":
    main()
