"""Frames of pandas, and of others with columns, read by the names of their columns."""

from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import text_of
from geomdp.io.formats import FORMATS
from geomdp.io.landmark_files import LONG_COLUMNS, by_specimen, long_columns
from geomdp.io.loading import Loaded, shaped
from geomdp.io.tables import Choices, Raw, chosen
from geomdp.spaces.rows import each, is_table, real_number
from geomdp.statistics.base import Statistic

#: What messages call it.
_FRAME = "the frame"


def read_frame(frame: Any, statistic: Statistic, choices: Choices | None = None) -> Loaded:
    """Read the records of a frame as :func:`read_records` reads those of a table.

    Columns ``Dxx, Dxy, ...`` tell the order of a tensor's components, ``x1, y1, ...`` that of
    landmarks; with ``specimen, landmark, x, y`` (and ``z``) each row is one landmark.

    Parameters
    ----------
    frame
        Anything with ``columns`` and rows, such as a pandas frame.
    statistic
        What the records are for.
    choices
        ``columns`` of numbers, if not all, and columns to ``keep``: labels, persons, covariates.

    Examples
    --------
    >>> import pandas as pd
    >>> import geomdp as dp
    >>> frame = pd.DataFrame({"Dxx": [1.0], "Dxy": [0.5], "Dyy": [2.0], "sex": ["f"]})
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> loaded = read_frame(frame, mean, Choices(columns=("D*",), keep=("sex",)))
    >>> loaded.points.tolist(), loaded.columns["sex"].tolist()
    ([[[1.0, 0.5], [0.5, 2.0]]], ['f'])
    """
    if not is_table(frame):
        raise InvalidRecordError("A frame has columns with names; hand other records in as arrays.")
    choices = choices or Choices()
    names, rows = [str(name) for name in frame.columns], each(frame)
    wanted = chosen(names, choices, _FRAME)
    shape = choices.raw_shape(statistic.record_shape)
    kept = {name: _texts(rows, names.index(name)) for name in choices.keep}
    if shape.landmarks and set(long_columns(shape.shape[1])) <= set(names):
        table = _numbers(rows, [names.index(name) for name in long_columns(shape.shape[1])[1:]])
        specimens = _texts(rows, names.index(LONG_COLUMNS[0]))
        values, kept = by_specimen(table, specimens, kept, shape.shape[0])
        raw = Raw(values, columns=kept)
    else:
        values = _numbers(rows, [names.index(name) for name in wanted])
        raw = Raw(values, tuple(wanted), kept)
    return shaped(raw, FORMATS["csv"], Path(_FRAME), choices, statistic)


def _numbers(rows: Any, places: list[int]) -> Any:
    return np.array([[real_number(row[place]) for place in places] for row in rows])


def _texts(rows: Any, place: int) -> Any:
    return np.array([text_of(row[place]) for row in rows], dtype=str)
