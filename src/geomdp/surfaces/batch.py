"""Many surfaces to radial curves: parallel, resumable, and never stopped by one bad record.

Every record is processed with the public template only. Results are cached under a hash of all
that they depend on, content and code, so an interrupted batch goes on where it was and no result
outlives the code that made it.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.runtime.progress import progress
from geomdp.runtime.surroundings import undisturbed
from geomdp.runtime.threads import one_blas_thread
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.disk.center import Center
from geomdp.surfaces.mesh.meshio import read_surface
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import Template
from geomdp.typing import Floats
from geomdp.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_Task: TypeAlias = tuple[Surface | str | Path, Center]


@dataclass(frozen=True)
class Failure:
    """A record that could not be processed; for the curator only."""

    index: int
    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Batch:
    """Curves of all records, in the order given.

    Parameters
    ----------
    curves : array (n, rings, points, 3)
        A failed record stands as the template's own curves, so that it counts as zero difference.
    failed : bool array (n,)
        Which records failed.
    failures : tuple of Failure
        Names and reasons, for the curator only: they depend on single records.
    reused : int
        How many results came from the cache.
    """

    curves: Floats
    failed: NDArray[np.bool_]
    failures: tuple[Failure, ...]
    reused: int


def process(
    records: Sequence[Surface | str | Path],
    template: Template,
    recipe: Recipe | None = None,
    *,
    workers: int | None = None,
    cache: str | Path | None = None,
    centers: Sequence[Center] | None = None,
) -> Batch:
    """Turn surfaces or mesh files into registered radial curves.

    Parameters
    ----------
    records : sequence of Surface or path
        A mesh that cannot be read, mapped or registered is listed and does not stop the others.
    template : Template
        Public.
    recipe : Recipe, optional
        Rings, points, spacing, registration, centre.
    workers : int, optional
        Processes; all cores by default, 1 for the calling process.
    cache : path, optional
        Folder for finished results; a second call with the same input reads them. It holds
        records and is as confidential as they are.
    centers : sequence, optional
        Centre of the disk map of each record, e.g. the landmark at the tip of the nose, instead of
        the recipe's.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import procedural_face, template_face
    >>> from geomdp.surfaces.template import make_template
    >>> batch = process([procedural_face(1)], make_template(template_face()), workers=1)
    >>> batch.curves.shape, batch.failures
    ((1, 23, 80, 3), ())
    """
    if centers is not None and len(centers) != len(records):
        raise GeomdpError(f"{len(records)} records need as many centres, not {len(centers)}.")
    road = Road(recipe or Recipe(), template.prepare())
    job = _Job(road, Path(cache) if cache else None)
    default = [road.recipe.center] * len(records)
    tasks = list(zip(records, default if centers is None else centers, strict=True))
    curves = np.repeat(road.template_curves[None], len(records), axis=0)
    failed, failures, reused = np.zeros(len(records), dtype=bool), [], 0
    for index, result in _run(job, tasks, workers or os.cpu_count() or 1):
        reused += result.from_cache
        if result.curves is None:
            failed[index] = True
            failures.append(Failure(index, result.name, result.reason))
        else:
            curves[index] = result.curves
    return Batch(curves, failed, tuple(sorted(failures, key=lambda f: f.index)), reused)


@dataclass(frozen=True, eq=False)
class _Result:
    name: str
    curves: Floats | None
    reason: str = ""
    from_cache: bool = False


@dataclass(frozen=True, eq=False)
class _Job:
    """What every worker needs, sent to it once."""

    road: Road
    cache: Path | None

    def run(self, task: _Task) -> _Result:
        record, center = task
        name = record.name if isinstance(record, Surface) else str(record)
        try:
            surface = record if isinstance(record, Surface) else read_surface(record)
            path = self._path(surface, center)
            known = _read(path, self.road.template_curves.shape)
            if known is not None:
                return _Result(name, known, from_cache=True)
            curves = self.road.curves(surface, center)
        except (GeomdpError, OSError) as problem:
            return _Result(name, None, str(problem))
        except Exception as problem:  # one record must never stop a batch
            return _Result(name, None, f"{name or 'the surface'}: unexpected {problem!r}.")
        if path is not None:
            _write(path, curves)
        return _Result(name, curves)

    def _path(self, surface: Surface, center: Center) -> Path | None:
        if self.cache is None:
            return None
        public = f"{code_digest()} {self.road.template.digest} {self.road.recipe!r}"
        hasher = hashlib.sha256(f"{public} {np.asarray(center).tolist()!r}".encode())
        hasher.update(np.ascontiguousarray(surface.vertices).tobytes())
        hasher.update(np.ascontiguousarray(surface.faces).tobytes())
        return self.cache / f"{hasher.hexdigest()}.npy"


def _write(path: Path, curves: Floats) -> None:
    """Write beside the target and rename, so that an interruption leaves no half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with partial.open("wb") as file:
        np.save(file, curves)
    partial.replace(path)


def _read(path: Path | None, shape: tuple[int, ...]) -> Floats | None:
    """Read a finished result; one that is missing or damaged is computed again."""
    if path is None or not path.exists():
        return None
    try:
        curves: Floats = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        return None
    return curves if curves.shape == shape else None


def _run(job: _Job, tasks: list[_Task], workers: int) -> Iterator[tuple[int, _Result]]:
    with progress("surfaces", len(tasks)) as advance:
        if workers == 1 or len(tasks) < 2:
            for index, task in enumerate(tasks):
                with undisturbed(), one_blas_thread():
                    result = job.run(task)
                yield index, result
                advance()
            return
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(job,))
        try:
            pending = {pool.submit(_work, task): i for i, task in enumerate(tasks)}
            for done in as_completed(pending):
                yield pending[done], done.result()
                advance()
        except BrokenExecutor as problem:
            raise GeomdpError(
                "A worker process died, perhaps for lack of memory; call again with fewer workers "
                "(finished records are read from the cache)."
            ) from problem
        except BaseException:  # Ctrl-C, or a caller that has enough: nobody waits for the rest
            _end_workers(pool, job.cache)
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _end_workers(pool: ProcessPoolExecutor, cache: Path | None) -> None:
    """End the worker processes now, and remove what they were writing to the cache."""
    # Python before 3.14 has no public way, and its own exit waits for work that is under way.
    workers = list((pool._processes or {}).values())
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(timeout=1)
        for begun in cache.glob(f"*.{worker.pid}.partial") if cache is not None else ():
            begun.unlink(missing_ok=True)


def _start_worker(job: _Job) -> None:
    """Keep the job in this worker process, so that it is not sent again with every record."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # which is how: what the parent does is not ours
    one_blas_thread()  # for as long as this process lives
    _worker_job.append(job)


_worker_job: list[_Job] = []


@undisturbed()
def _work(task: _Task) -> _Result:
    return _worker_job[0].run(task)


# --- A hash of the code that turns surfaces into curves, so that a cache knows when it is stale.


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Hash of the package's version, of all sources of this package, and of NumPy and SciPy."""
    import scipy

    hasher = hashlib.sha256(f"{__version__} {np.__version__} {scipy.__version__}".encode())
    folder = Path(__file__).parent
    for file in sorted(folder.rglob("*.py")):
        hasher.update(file.relative_to(folder).as_posix().encode())
        hasher.update(hashlib.sha256(file.read_bytes()).digest())
    return hasher.hexdigest()
