"""What a release says, as tables for spreadsheets and R, and as one small JSON for programs.

``results.csv`` has a row for each point of the space (value, denoised, means of classes or groups,
the curve of a regression), ``coordinates.csv`` for each vector in the orthonormal frame at the
centre (means, slopes, rows of a covariance), ``result.json`` the headline numbers. All follow from
the value and the plan alone; ``geomdp verify`` makes them again.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import product

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import DENOISED, PAGES, Release
from geomdp.readings.base import as_written
from geomdp.readings.names import column_names
from geomdp.releases.estimates.classes import classes_of
from geomdp.releases.estimates.document import numbers_of
from geomdp.releases.estimates.extrinsic import extrinsic_of
from geomdp.releases.estimates.moments import moments_of
from geomdp.releases.estimates.regression import RegressionEstimate, regression_of
from geomdp.serial import Document
from geomdp.typing import Array

RESULTS = "results.csv"
COORDINATES = "coordinates.csv"
RESULT = "result.json"
#: Numbers of a row, at most: spreadsheets have so many columns.
WIDEST = 1 << 14
#: With these a spreadsheet takes a cell for a formula.
FORMULA = ("=", "+", "-", "@")
#: A quantity and the numbers of its row.
Row = tuple[str, list[float]]


def plain(text: str) -> str:
    """Return a text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def table_text(names: list[str], rows: list[Row]) -> str:
    """Write rows under their names, floats with all their digits; nothing where there are none."""
    if not rows or len(names) >= WIDEST:
        return ""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["quantity", *map(plain, names)])
    writer.writerows([plain(quantity), *numbers] for quantity, numbers in rows)
    return stream.getvalue()


def released_points(release: Release) -> Iterator[tuple[str, Array]]:
    """Yield every point of the space that a release tells, with what it is."""
    if isinstance(release.value, Mapping):
        for label, part in release.parts.items():
            points = dict(released_points(part))
            if "value" in points and DENOISED in release.manifest:  # groups that are alike
                points["denoised"] = release.denoised[label]
            yield from ((f"{label}: {what}", point) for what, point in points.items())
        return
    last = release.answer
    moved = DENOISED in last.manifest
    if last.plan.statistic.value_is_record:
        yield "value", last.value
        if not np.array_equal(last.denoised, last.value):
            yield "denoised", last.denoised
    with suppress(GeomdpError):
        yield "mean", moments_of(last).mean
    with suppress(GeomdpError):
        yield "mean", extrinsic_of(last).mean
    with suppress(GeomdpError):
        found = classes_of(last)
        yield from _of_classes("mean", found.labels, found.means)
        if moved:
            yield from _of_classes("denoised mean", found.labels, found.denoised_means)
    with suppress(GeomdpError):
        curve = regression_of(last)
        fits = {"at": curve} | ({"denoised, at": curve.denoised} if moved else {})
        for (where, fit), name in product(fits.items(), last.plan.statistic.covariate_names):
            places = curve.statistic.design.along(name)
            yield from ((f"{where} {words}", fit.predict(**at)) for words, at in places)


def _of_classes(what: str, labels: tuple[str, ...], means: Array) -> Iterator[tuple[str, Array]]:
    return ((f"{what} of {label}", one) for label, one in zip(labels, means, strict=True))


def released_vectors(release: Release) -> Iterator[tuple[str, Array]]:
    """Yield every vector in the frame at the centre that a release tells, with what it is."""
    if isinstance(release.value, Mapping):
        for label, part in release.parts.items():
            yield from ((f"{label}: {what}", one) for what, one in released_vectors(part))
        return
    with suppress(GeomdpError):
        found = moments_of(release)
        yield "mean", found.coordinates
        if found.second is not None:
            yield from _matrix("covariance", found.covariance)
    with suppress(GeomdpError):
        far = extrinsic_of(release)
        lengths = [far.length, far.length_error]
        yield "resultant length, its error by noise", np.array(lengths)
    with suppress(GeomdpError):
        classes = classes_of(release)
        yield from _of_classes("mean", classes.labels, classes.coordinates)
        for label, size in classes.sizes.items():
            told = [size, *([classes.size_error] if label in classes.labels else [])]
            yield f"size of {label}, its error by noise", np.array(told)
        for label, errors in classes.errors.items():
            known = np.array(errors)[np.isfinite(errors)]  # of sampling by second moments alone
            yield f"mean of {label}: error by noise, by sampling", known
        yield from _matrix("pooled covariance", classes.pooled_covariance)
        for label in classes.labels if classes.asked.second == "by-class" else ():
            yield from _matrix(f"covariance of {label}", classes.covariance(label))
    with suppress(GeomdpError):
        yield from _effects(regression_of(release))


def _effects(curve: RegressionEstimate) -> Iterator[tuple[str, Array]]:
    """Yield what a unit of each covariate changes, or a level against the first, with its error."""
    for one in curve.statistic.design.covariates:
        levels: tuple[str, ...] = getattr(one, "levels", ())
        found = [
            (
                f"{one.name} {other} against {levels[0]}",
                curve.difference(one.name, levels[0], other),
            )
            for other in levels[1:]
        ]
        for what, effect in found or [(f"a unit of {one.name}", curve.slope(one.name))]:
            yield what, effect.vector
            errors = np.array([effect.privacy, effect.sampling])
            yield f"{what}: error by noise, by sampling", errors


def _matrix(name: str, matrix: Array) -> Iterator[tuple[str, Array]]:
    return ((f"{name}, row {i + 1}", row) for i, row in enumerate(matrix))


def results_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the table of points: of shares and angles as files have them, under their names."""
    statistic, reading = release.plan.statistic, release.plan.reading
    shape = statistic.record_shape
    size = shape.triangle_size if shape.symmetric else shape.size
    rows = [
        (what, shape.pack(point, size, "lower").tolist())
        for what, point in released_points(release)
        if np.asarray(point).shape == statistic.public_record.shape
    ]
    if reading is not None and reading.on_pages and shape.shape == statistic.public_record.shape:
        rows = [(what, as_written(np.array(row), reading).tolist()) for what, row in rows]
        size = len(rows[0][1]) if rows else size
    names = [str(i + 1) for i in range(statistic.public_record.shape[0])]
    named = release.plan.names or tuple(names)
    with suppress(GeomdpError, ValueError, IndexError):
        names = list(column_names(statistic, named, size, "lower"))
    if reading is not None and len(reading.number_names) == size:
        names = list(reading.number_names)
    if len(names) != size:
        names = [f"number {i + 1}" for i in range(size)]
    return table_text(names, rows)


def coordinates_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the table of vectors in the frame at the centre."""
    rows = [(what, np.asarray(one).tolist()) for what, one in released_vectors(release)]
    width = max((len(numbers) for _, numbers in rows), default=0)
    return table_text([f"coordinate {i + 1}" for i in range(width)], rows)


def result_document(release: Release) -> Document:
    """Return the headline numbers of a release."""
    plan, many = release.plan, isinstance(release.value, Mapping)
    space = plan.statistic.record_space
    points: Document = {}
    for what, point in released_points(release):
        if np.size(point) < WIDEST:
            points[what] = numbers_of(point)
    return {
        "says": "What was released, under which promise, and the error to expect.",
        "asked": plan.statistic.describe(),
        "space": None if space is None else space.spec,
        "n": plan.n,
        "promise": str(release.guarantee),
        "guarantee": release.guarantee.to_json(),
        "mechanism": plan.describe_mechanism(),
        "error by noise": {
            "expected": plan.expected_error,
            "in 95 of 100 releases at most": plan.error_quantile(0.95),
        },
        "groups": list(release.parts) if many else [],
        "points": points,
    }


def result_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the text of the file of headline numbers."""
    return json.dumps(result_document(release), indent=1, ensure_ascii=False) + "\n"


def _total(
    make: Callable[[Release, Mapping[str, str]], str],
) -> Callable[[Release, Mapping[str, str]], str]:
    """Return what makes a page, and leaves it out where it cannot: the value is drawn."""

    def made(release: Release, folders: Mapping[str, str]) -> str:
        try:
            with np.errstate(all="ignore"):
                return make(release, folders)
        except Exception:  # nothing may fail after the draw
            return ""

    return made


PAGES.register(RESULTS, _total(results_text))
PAGES.register(COORDINATES, _total(coordinates_text))
PAGES.register(RESULT, _total(result_text))
