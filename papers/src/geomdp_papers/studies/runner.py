"""Run a study on all cores, cell by cell: a run that was killed goes on where it stopped."""

import hashlib
import inspect
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from geomdp.io.atomic import write_whole
from geomdp.io.documents import read_json
from geomdp.version import software
from geomdp_papers.studies.pictures import save_figure
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study
from geomdp_papers.studies.table import Row, Table

#: Folder of finished cells, beside the results.
CELLS = "cells"
#: Told after each cell: how many are done, of how many.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Run:
    """A study that was run."""

    study: Study
    table: Table
    claims: Sequence[Claim]
    seed: int
    quick: bool
    seconds: float
    with_data: bool

    @property
    def command(self) -> str:
        """The command that makes the same numbers again."""
        quick = " --quick" if self.quick else ""
        data = " --data FOLDER" if self.with_data and self.study.stand_in else ""
        return f"geomdp study {self.study.name} --seed {self.seed}{quick}{data}"

    def to_json(self) -> dict[str, object]:
        """Everything but the rows, which are in the CSV file."""
        return {
            "study": self.study.name,
            "of": self.study.of,
            "shows": self.study.shows,
            "stand_in": self.study.stand_in,
            "command": self.command,
            "seed": self.seed,
            "quick": self.quick,
            "seconds": round(self.seconds, 1),
            "software": software(),
            "settings": dict(self.study.settings),
            "trials": [trial.to_json() for trial in self.study.trials(self.table)],
            "claims": [claim.to_json() for claim in self.claims],
        }


def run(
    study: Study,
    out: Path,
    *,
    quick: bool = False,
    seed: int = 0,
    data: Path | None = None,
    workers: int | None = None,
    tell: Tell = lambda done, total: None,
) -> Run:
    """Measure all cells that ``out`` does not hold yet, judge, draw, and write the results."""
    cells = list(study.cells(quick, data))
    kept = out / CELLS / study.name
    kept.mkdir(parents=True, exist_ok=True)
    files = [kept / f"{_key(study, cell, seed)}.json" for cell in cells]
    missing = [(cell, file) for cell, file in zip(cells, files, strict=True) if not file.exists()]
    done = len(cells) - len(missing)
    tell(done, len(cells))
    for _ in _measured(study, missing, seed, 1 if quick else workers):
        done += 1
        tell(done, len(cells))
    stored = [read_json(file) for file in files]
    table = Table([row for cell in stored for row in cell["rows"]])
    seconds = sum(cell["seconds"] for cell in stored)
    finished = Run(study, table, study.judge(table), seed, quick, seconds, data is not None)
    _write(finished, out)
    return finished


def _key(study: Study, cell: Cell, seed: int) -> str:
    """Name of a cell: another seed, parameter or version of the study's file is another cell."""
    source = inspect.getsource(inspect.getmodule(study.measure) or study.measure)
    text = json.dumps([study.name, source, _identity(cell), seed], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _identity(cell: Cell) -> Cell:
    """Return a cell without the name of the folder of its data, on which no number may depend."""
    return {k: v is not None if k == "data" else v for k, v in cell.items()}


def _measured(
    study: Study, missing: list[tuple[Cell, Path]], seed: int, workers: int | None
) -> Iterator[None]:
    workers = min(len(missing), workers or os.cpu_count() or 1)
    if workers <= 1:
        for cell, file in missing:
            _measure(study.name, cell, seed, file)
            yield
        return
    # Started afresh: a fork would copy the threads of a BLAS in an unknown state.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        tasks = [pool.submit(_measure, study.name, cell, seed, file) for cell, file in missing]
        for task in as_completed(tasks):
            task.result()
            yield


def _measure(name: str, cell: Cell, seed: int, file: Path) -> None:
    """Measure one cell and keep it: the file is whole or absent, whenever a kill comes."""
    digest = hashlib.sha256(json.dumps([name, _identity(cell)], sort_keys=True).encode()).digest()
    rng = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    begun = time.process_time()
    with threadpool_limits(1, user_api="blas"):
        rows: Sequence[Row] = STUDIES[name].measure(cell, rng)
    kept = {"cell": dict(cell), "rows": [dict(row) for row in rows]}
    kept["seconds"] = time.process_time() - begun  # type: ignore[assignment]
    write_whole(file, json.dumps(kept))


def _write(finished: Run, out: Path) -> None:
    name = finished.study.name
    write_whole(out / f"{name}.csv", finished.table.csv())
    write_whole(out / f"{name}.json", json.dumps(finished.to_json(), indent=2) + "\n")
    save_figure(finished.study, finished.table, out / f"{name}.svg")


def judged_again(study: Study, folder: Path) -> None:
    """Judge and draw a finished run anew from its table, which alone decides both.

    The software that measured stays named: no number of the table is touched.
    """
    file = folder / f"{study.name}.json"
    kept, table = read_json(file), Table.from_csv(file.with_suffix(".csv").read_text("utf-8"))
    said = Run(study, table, study.judge(table), kept["seed"], kept["quick"], 0.0, False).to_json()
    anew = ("of", "shows", "stand_in", "settings", "trials", "claims")
    write_whole(file, json.dumps({**kept, **{name: said[name] for name in anew}}, indent=2) + "\n")
    save_figure(study, table, file.with_suffix(".svg"))
