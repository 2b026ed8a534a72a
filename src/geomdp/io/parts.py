"""Files that other machines read part by part."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.folders import PATH
from geomdp.io.formats import FORMATS, FolderFormat, Format
from geomdp.io.labels import asked_of_table, with_labels
from geomdp.io.reading import Loaded, format_of, shaped
from geomdp.io.tables import Choices, Raw
from geomdp.scale.cluster import require_dask
from geomdp.scale.dask_points import DaskPoints
from geomdp.scale.parts import Parts, blocks_of
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


def read_elsewhere(path: Path, statistic: Statistic, choices: Choices) -> Loaded:
    """Open the records of a statistic for the workers of a cluster, which read them.

    Here are read the names and labels alone; see :func:`geomdp.io.read_records`.

    Raises
    ------
    InvalidRecordError
        If the format is read as a whole only, or the file does not fit the statistic.

    Examples
    --------
    >>> import tempfile
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "tensors.npy"
    >>> np.save(file, np.tile([1.0, 0.5, 2.0], (7, 1)))
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> loaded = read_elsewhere(file, mean, Choices())
    >>> type(loaded.points).__name__, len(loaded.points), loaded.points[:1].tolist()
    ('DaskPoints', 7, [[[1.0, 0.5], [0.5, 2.0]]])
    """
    if not path.exists():
        raise InvalidRecordError(f"There is no file or folder {str(path)!r}; check the path.")
    require_dask()
    _require_no_disk(choices)
    path = path.resolve()
    chosen = format_of(path, choices, statistic)
    beside, inside = asked_of_table(choices)
    folder = (PATH,) if beside and isinstance(chosen, FolderFormat) else ()
    asked = replace(choices, keep=(*inside, *folder))
    parts = chosen.parts(path, asked, statistic) if statistic.needs_n else None
    if parts is None:
        raise InvalidRecordError(_readable())
    raw = with_labels(parts.example, beside, choices)
    # One record tells how all are written.
    loaded = shaped(replace(raw, values=raw.values[:1]), chosen, path, choices, statistic)
    one = np.asarray(loaded.points[:1])
    convert = partial(_part, parts.read, chosen, path, replace(choices, keep=()), statistic)
    blocks = blocks_of(Parts(parts.sizes, convert), one.shape[1:], one.dtype)
    return replace(loaded, points=DaskPoints(blocks, kept=parts.slow))


def _part(
    read: Callable[[int], Raw],
    chosen: Format,
    path: Path,
    choices: Choices,
    statistic: Statistic,
    number: int,
) -> Array:
    """Read one part, and bring it into the shape of records: on a worker."""
    return np.asarray(shaped(read(number), chosen, path, choices, statistic).points[:])


def _require_no_disk(choices: Choices) -> None:
    if choices.cache is not None or choices.workers is not None:
        raise InvalidRecordError(
            "Workers of a cluster write no record to a disk and are as many as were started; leave "
            "out --cache and --workers, or --scheduler."
        )


def _readable() -> str:
    able = [name for name, form in FORMATS.items() if type(form).parts is not Format.parts]
    return (
        f"--scheduler goes with {', '.join(able)} that all workers reach; write other files as "
        "parquet."
    )
