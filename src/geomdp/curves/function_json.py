"""The public parameters of a mean function as JSON, exactly, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.curves.serial import grid_from_json, grid_to_json, kernel_from_json, kernel_to_json
from geomdp.serial import Document, array_from_json, array_to_json

if TYPE_CHECKING:
    from geomdp.curves.function_mean import FunctionMean


def function_mean_to_json(mean: FunctionMean) -> Document:
    """Describe a mean function by public things.

    Examples
    --------
    >>> from geomdp.curves import FunctionMean, Matern
    >>> document = function_mean_to_json(FunctionMean(np.zeros(8), 1.0, Matern(0.5)))
    >>> sorted(document)[:4], arguments_from_json(document)["tau"]
    (['grid', 'kernel', 'noise', 'phi'], 1.0)
    """
    assert mean.grid is not None
    document = {
        "tag": mean.tag,
        "template": array_to_json(mean.template),
        "tau": float(mean.tau),
        "kernel": kernel_to_json(mean.kernel),
        "phi": None if mean.phi is None else array_to_json(np.asarray(mean.phi)),
        "grid": grid_to_json(mean.grid),
        "weights": array_to_json(np.asarray(mean.weights)),
        "noise": mean.noise,
        "resampling": mean.resampling,
        "terms": mean.terms,
        "registration": mean.registration,
    }
    if mean.offset is not None:
        document["offset"] = array_to_json(np.asarray(mean.offset))
    return document


def arguments_from_json(document: Document) -> dict[str, Any]:
    """Arguments of ``FunctionMean`` from what :func:`function_mean_to_json` wrote."""
    names = ("template", "phi", "weights", "offset")
    arrays = {name: document[name] for name in names if document.get(name) is not None}
    return {
        "tau": document["tau"],
        "kernel": kernel_from_json(document["kernel"]),
        "grid": grid_from_json(document["grid"]),
        "noise": document["noise"],
        "resampling": document["resampling"],
        "terms": document["terms"],
        "registration": document["registration"],
        **{name: array_from_json(value) for name, value in arrays.items()},
    }
