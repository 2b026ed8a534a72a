"""Shaped against round balls at equal mu: real and simulated outlines, and faces on a mesh.

Records are split at random: the first half stands for other people, whose covariance is published
and who set the radius at which 99% lie inside, and the centre where there is no public template;
the other half is released. Errors are distances from the released mean to the mean of the unclipped
logs, so that clipping counts. Outlines: 647 corpora callosa with a public template, the silhouettes
of 996 ankle boots (Fashion-MNIST), simulated leaves. Faces: 100 vertices of the ICT face model.
``python -m benchmarks.shaped_balls [splits]``, with the data in ``../shared/data``; what is not
there is left out.
"""

import sys
from pathlib import Path

import numpy as np
from papers.benchmarks.ict import coarse_mesh, read_model

import geomdp as dp
from geomdp.noise.entropy import SeededEntropy
from geomdp.spaces.forms import form_from, saving, smooth_form
from geomdp.statistics.encoded import Encoded

DATA = Path(__file__).parents[1] / "../shared/data"
DRAWS = 20
MU = 1
#: Label of ankle boots, and the grey at which a boot begins.
BOOT, EDGE = 9, 64.0


def callosa():
    """Public template, and 647 outlines."""
    template = np.load(DATA / "public_callosum_template.npz")["landmarks"]
    return template, np.load(DATA / "adhd200_corpus_callosum.npz")["landmarks"]


def boots(k=40, label=BOOT):
    """Silhouettes of ankle boots, landmarks from the leftmost point on; no public template."""
    from contourpy import contour_generator

    from geomdp.errors import InvalidRecordError
    from geomdp.shapes import resample_outline

    with np.load(DATA / "fashion_mnist_t10k.npz") as arrays:
        images = arrays["images"][arrays["labels"] == label]
    outlines = []
    for image in images:
        lines = contour_generator(z=np.pad(image.astype(float), 1)).lines(EDGE)
        try:
            outlines.append(resample_outline(max(lines, key=len) * [1, -1], k, "left"))
        except InvalidRecordError:  # a boot whose outline touches itself at this grey
            continue
    return None, np.array(outlines)


def faces(count=1200, k=100):
    """Faces of the model at few vertices: mean, records, and triangles between the vertices."""
    model = read_model()
    chosen, triangles = coarse_mesh(model["mean"], model["faces_disk"], int(model["nose_tip"]), k)
    weights = np.random.default_rng(0).standard_normal((count, len(model["modes"])))
    moved = np.tensordot(weights, model["modes"][:, chosen].astype(float), 1)
    mean = model["mean"][chosen].astype(float)
    return mean, mean + moved, triangles


def leaves(count=600, k=15):
    """Outlines that vary smoothly, about a mean one."""
    rng = np.random.default_rng(0)
    t = 2 * np.pi * np.arange(k) / k
    waves = np.arange(2, 7)
    sizes = 0.15 / waves**1.5 * rng.standard_normal((count, waves.size))
    turns = 2 * np.pi * rng.random((count, waves.size))
    radius = 1 + np.sum(sizes[..., None] * np.cos(waves[:, None] * t + turns[..., None]), axis=1)
    radius += 0.01 * rng.standard_normal((count, k))
    return np.stack([1.6 * np.cos(t), np.sin(t)], axis=-1), np.stack(
        [1.6 * radius * np.cos(t), radius * np.sin(t)], axis=-1
    )


def logs_of(space, center, points):
    """Coordinates at the centre, unclipped."""
    return np.asarray(space.frame_log(center, space.require(points)))


def error(space, center, form, others, mine, points, seed):
    """Root mean square error over draws, and the forecast."""
    white = others if form is None else others @ np.linalg.inv(np.linalg.cholesky(form)).T
    radius = float(np.quantile(np.linalg.norm(white, axis=1), 0.99))
    mean = dp.TangentMean(dp.Ball(space, center, radius, form=form, wide=True))
    plan = dp.plan(mean, n=len(points), budget=dp.GDP(MU))
    encoded = Encoded.of(mean.encode(points))
    values = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed), DRAWS)
    away = logs_of(space, center, values) - np.mean(mine, axis=0)
    return float(np.sqrt(np.mean(np.sum(away**2, axis=1)))), plan.expected_error


def forms_of(space, center, second, triangles):
    """Forms to compare: none, a published covariance, smoothness."""
    smooth = {
        f"smooth, f^-{power:g}": smooth_form(space, center, power, triangles)
        for power in (1.0, 2.0)
    }
    return {
        "round": None,
        "covariance^0.5": form_from(second),
        "covariance^0.65": form_from(second, 0.65),
        **smooth,
    }


def study(name, space, template, points, splits, triangles=None):
    """Print the gains over the round ball, with standard errors over the splits."""
    gains, forecasts = {}, {}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(points))
        halves = [points[part] for part in np.array_split(order, 2)]
        middle = dp.frechet_mean(space, halves[0]).point if template is None else template
        center = dp.Ball(space, middle, 0.1).center
        others, mine = (logs_of(space, center, half) for half in halves)
        forms = forms_of(space, center, others.T @ others / len(others), triangles)
        made = {
            key: error(space, center, form, others, mine, halves[1], seed)
            for key, form in forms.items()
        }
        for key, form in forms.items():
            gains.setdefault(key, []).append(made["round"][0] / made[key][0])
            told = 1.0 if form is None else saving(form)
            forecasts.setdefault(key, []).append((made["round"][1] / made[key][1], told))
    for key, values in gains.items():
        told, noted = np.mean(forecasts[key], axis=0)
        spread = np.std(values, ddof=1) / np.sqrt(splits)
        print(
            f"{name:10} d = {space.dim:3} {key:16} gain {np.mean(values):.2f} (se {spread:.2f})  "
            f"plans' forecasts {told:.2f}, note in the plan {noted:.2f}",
            flush=True,
        )


def outlines(name, read, splits):
    """Study planar shapes, or say that they are not there."""
    try:
        template, points = read()
    except FileNotFoundError:
        print(f"{name}: not in {DATA}")
        return
    study(name, dp.PlanarShapes(points.shape[1]), template, points, splits)


def main(splits: int = 20) -> None:
    """Print all studies."""
    for name, read in (("leaves", leaves), ("callosa", callosa), ("boots", boots)):
        outlines(name, read, splits)
    mean, points, triangles = faces()
    for name, space in (("size+shape", dp.SizeAndShape), ("shape", dp.Shapes)):
        study(f"faces: {name}", space(len(mean), 3), mean, points, splits, triangles)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
