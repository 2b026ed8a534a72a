"""A connection to a cluster, or processes on this machine, that write no record to a disk."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from geomdp.errors import GeomdpError, MachinesError, reason_of
from geomdp.sources.worker import fault, versions

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
def machines(address: str = LOCAL, workers: int = 2, paths: Sequence[Path] = ()) -> Iterator[Any]:
    """Connect to a scheduler, or start workers here, for as long as the block lasts.

    Parameters
    ----------
    address
        Of a scheduler, as ``tcp://host:8786``; processes on this machine by default.
    workers
        Number of those processes, one thread each.
    paths
        Files and folders that every worker must see.

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
            call_roll(client, paths)
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


def call_roll(client: Any, paths: Sequence[Path] = ()) -> None:
    """Ask every worker whether it is fit, and sees the data, before anything is read or spent.

    Workers that come later are asked when they get their first block.

    Raises ``MachinesError`` with the first worker that is not fit, its address, and why.
    """
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        address = client.scheduler.address
        raise MachinesError(
            f"The scheduler {address} has no workers; start some: dask worker {address}."
        ) from None
    asked = [str(path) for path in paths]
    for address, said in sorted(client.run(fault, versions(), asked, on_error="return").items()):
        if isinstance(said, Exception):  # no geomdp there, or one that cannot be asked
            raise MachinesError(f"The worker {address} cannot run geomdp: {reason_of(said)}.")
        if said:
            raise MachinesError(f"The worker {address} is not fit: {said}")
