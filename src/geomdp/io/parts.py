"""Files that other machines read part by part."""

from dataclasses import replace
from pathlib import Path

from geomdp.errors import InvalidRecordError
from geomdp.io.reading import Loaded, format_of, open_parts
from geomdp.io.tables import Choices
from geomdp.sources.cluster import require_dask
from geomdp.sources.dask_source import DaskSource
from geomdp.sources.files import dask_array
from geomdp.statistics.base import Statistic


def read_elsewhere(
    path: str | Path, statistic: Statistic, choices: Choices | None = None
) -> Loaded:
    """Open the records of a statistic for the workers of a cluster, which read them.

    Here are read the names and labels alone; see :func:`geomdp.io.read_records`.

    Raises
    ------
    InvalidRecordError
        If the format is read as a whole only, or the file does not fit the statistic.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "tensors.npy"
    >>> np.save(file, np.tile([1.0, 0.5, 2.0], (7, 1)))
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> loaded = read_elsewhere(file, mean)
    >>> type(loaded.points).__name__, len(loaded.points), loaded.points[:1].tolist()
    ('DaskSource', 7, [[[1.0, 0.5], [0.5, 2.0]]])
    """
    path, choices = Path(path), choices or Choices()
    if not path.exists():
        raise InvalidRecordError(f"There is no file or folder {str(path)!r}; check the path.")
    require_dask()
    _require_no_disk(choices)
    path = path.resolve()  # workers stand elsewhere
    if choices.mask is not None:
        choices = replace(choices, mask=choices.mask.resolve())
    chosen = format_of(path, choices, statistic)
    loaded, files, slow = open_parts(chosen, path, choices, statistic)
    array = dask_array(files, files.shape, loaded.points.dtype)
    return replace(loaded, points=DaskSource(array, kept=slow))


def _require_no_disk(choices: Choices) -> None:
    if choices.cache is not None or choices.workers is not None:
        raise InvalidRecordError(
            "Workers of a cluster write no record to a disk and are as many as were started; leave "
            "out --cache and --workers, or --scheduler."
        )
