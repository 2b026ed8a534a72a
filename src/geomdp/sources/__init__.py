"""Whatever comes in becomes rows, once: one record at a time, by that record and the plan alone.

:func:`open_files` makes one source of the npy and parquet files of a folder. ``plan.release`` and
``frechet_mean`` take a Dask array like any other (``pip install "geomdp[dask]"``): its blocks stay
where they are, and sums come back. :func:`file_blocks` opens such files on the workers, and
:func:`machines` connects to a cluster, or starts one of processes on this machine, that writes no
record to a disk.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geomdp.sources.cluster import machines
    from geomdp.sources.files import file_blocks, open_files

#: Where each public name lives: spaces need the rows and nothing of the rest.
_HOMES = {"machines": "cluster", "file_blocks": "files", "open_files": "files"}

__all__ = ["file_blocks", "machines", "open_files"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"geomdp.sources has no {name!r}")
    return getattr(import_module(f"geomdp.sources.{_HOMES[name]}"), name)
