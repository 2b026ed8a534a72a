"""Records in many files, and on many machines through Dask (``pip install "geomdp[dask]"``).

:func:`open_files` makes one source of the npy and parquet files of a folder.

``plan.release`` and ``frechet_mean`` take a Dask array like any other: its blocks stay where they
are, and sums come back. :func:`file_blocks` opens such files on the workers, and :func:`machines`
connects to a cluster, or starts one of processes on this machine, that writes no record to a disk.
"""

from geomdp.scale.cluster import machines
from geomdp.scale.files import file_blocks, open_files

__all__ = ["file_blocks", "machines", "open_files"]
