"""Tables of counts as ecologists keep them: BIOM 1 (JSON) and 2 (HDF5, needs h5py).

A sample is a record, an observation (taxon, gene) a number of it: ``--space sphere:D --compositions
--normalize`` makes shares of the counts. What is not stored is zero, by the format's rule.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import text_of
from geomdp.io.documents import read_json
from geomdp.io.formats import FORMATS, Format
from geomdp.io.tables import Choices, Raw, Texts, chosen, needs_extra
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.spaces.rows import real_number
from geomdp.statistics.base import Statistic

#: Column with the names of the samples; others come from what the file says about them.
SAMPLE = "sample"
#: How an HDF5 file begins.
_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_biom(path: Path, choices: Choices) -> Raw:
    """Read a table: samples as records, in the file's order."""
    with read_as(path, "BIOM"):
        with path.open("rb") as stream:
            packed = stream.read(len(_HDF5)) == _HDF5
        values, names, columns = _hdf5(path) if packed else _json(path)
    wanted = chosen((*columns, *names), choices, path.name)
    places = [i for i, name in enumerate(names) if name in set(wanted)]
    named = [name for name in wanted if name in columns]
    if named and choices.columns:
        raise InvalidRecordError(
            f"{named[0]!r} of {path.name} says something of a sample; keep it."
        )
    kept = {name: columns[name] for name in choices.keep}
    return Raw(values[:, places], tuple(names[i] for i in places), kept)


def _json(path: Path) -> tuple[NDArray[np.float64], list[str], Mapping[str, Texts]]:
    """Read version 1."""
    document = read_json(path)
    names = [str(row["id"]) for row in document["rows"]]
    samples = document["columns"]
    values = _empty(path, len(samples), len(names))
    if document["matrix_type"] == "dense":
        for place, row in enumerate(document["data"]):
            values[:, place] = [real_number(cell) for cell in row]
    else:
        _fill(values, document["data"])
    about = [one.get("metadata") or {} for one in samples]
    keys = sorted({str(key) for one in about for key in one})
    columns = {key: _texts(one.get(key) for one in about) for key in keys}
    return values, names, {SAMPLE: _texts(one["id"] for one in samples), **columns}


def _fill(values: NDArray[np.float64], entries: Iterable[Sequence[Any]]) -> None:
    """Put entries (observation, sample, count) into their places; one that stands twice is none."""
    filled = np.zeros(values.shape, dtype=bool)
    for observation, sample, count in entries:
        if not (0 <= observation < values.shape[1] and 0 <= sample < len(values)):
            raise ValueError(f"it has an entry at {observation}, {sample}")
        twice = filled[sample, observation]
        values[sample, observation] = np.nan if twice else real_number(count)
        filled[sample, observation] = True


def _hdf5(path: Path) -> tuple[NDArray[np.float64], list[str], Mapping[str, Texts]]:
    """Read version 2: the matrix by samples."""
    try:
        import h5py
    except ImportError:
        raise needs_extra("h5py") from None
    with h5py.File(path, "r") as file:
        for part in ("sample/ids", "observation/ids", "sample/matrix/data"):
            require_plausible(path, file[part].size * 8)
        names = [text_of(one) for one in file["observation/ids"][:].tolist()]
        columns = {SAMPLE: _texts(file["sample/ids"][:].tolist())}
        values = _empty(path, len(columns[SAMPLE]), len(names))
        matrix = file["sample/matrix"]
        ends, places = matrix["indptr"][:], matrix["indices"][:]
        counts = matrix["data"][:].astype(np.float64)
        samples = np.repeat(np.arange(len(values)), np.diff(ends))
        _fill(values, zip(places.tolist(), samples.tolist(), counts.tolist(), strict=True))
        about = file.get("sample/metadata", {})
        for key in about:
            if about[key].shape == (len(values),):
                columns[str(key)] = _texts(about[key][:].tolist())
    return values, names, columns


def _empty(path: Path, samples: int, names: int) -> NDArray[np.float64]:
    require_plausible(path, samples * names * 8)
    return np.zeros((samples, names))


def _texts(cells: Iterable[Any]) -> Texts:
    return np.array([text_of(cell) for cell in cells], dtype=str)


class Biom(Format):
    """A table of counts, a sample a record; its value is ``value.npy`` and ``results.csv``."""

    endings = (".biom",)

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_biom(path, choices)


FORMATS.register("biom", Biom())
