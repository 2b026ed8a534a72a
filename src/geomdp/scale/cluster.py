"""A connection to a cluster, or processes on this machine, that write no record to a disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from geomdp.errors import GeomdpError, MachinesError, reason_of

#: Where Dask would write what does not fit into memory; False forbids it.
NO_SPILLING = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
}
#: Stands for processes on this machine.
LOCAL = "local"
#: Seconds to wait for a scheduler.
PATIENCE = 20


def require_dask() -> None:
    """Say what to install where Dask is missing."""
    if not all(find_spec(module) for module in ("dask", "distributed")):
        raise GeomdpError('Many machines need Dask; install it with: pip install "geomdp[dask]".')


@contextmanager
def machines(address: str = LOCAL, workers: int = 2) -> Iterator[Any]:
    """Connect to a scheduler, or start workers here, for as long as the block lasts.

    Parameters
    ----------
    address
        Of a scheduler, as ``tcp://host:8786``; processes on this machine by default.
    workers
        Number of those processes, one thread each.

    Yields
    ------
    distributed.Client
        What Dask arrays are computed by, and asked by, until the block ends.
    """
    require_dask()
    import dask
    import distributed

    if address != LOCAL:
        try:
            client = distributed.Client(address, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            raise MachinesError(
                f"The scheduler {address} does not answer ({reason_of(error)})."
            ) from error
        with client:
            yield client
        return
    # Workers are processes of their own, and read the settings when they start.
    with (
        dask.config.set(NO_SPILLING),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
