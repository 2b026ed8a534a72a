"""``geomdp release``: touch the data once, and write value, manifest and report."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli.declared import Json
from geomdp.cli.study_file import From
from geomdp.errors import GeomdpError
from geomdp.options import Option, OptionError, quoted
from geomdp.runtime.progress import status
from geomdp.typed.inputs import Typed
from geomdp.typed.options import KEY, LEDGER, data_options
from geomdp.typed.records import at_period, choices_of, further_format, read_data

if TYPE_CHECKING:
    from geomdp.ledger import Ledger
    from geomdp.plans import Plan
    from geomdp.plans.release import Release

HELP = """Release a plan's statistic of DATA into a new folder.

DATA is a file (npy, npz, csv, parquet, NIfTI tensors, tps) or a folder
of images or meshes. The new folder gets the value in DATA's own format,
value.npy, results.csv (and coordinates.csv: slopes, covariances), with --xlsx
also results.xlsx, result.json, manifest.json and report.html: all of it may
be published, and geomdp verify makes all of it again. Group means
get a folder each, and a report above them of what they promise together.

[bold]Examples[/bold]

\b
  geomdp release plan.json tensors.npy --out mean-tensor
\b
  geomdp release plan.json dti.nii.gz --mask brain.nii.gz \\
      --triangle upper --out mean-tensor
\b
  geomdp release plan.json landmarks.csv --column 'p*' --out mean-shape
\b
  geomdp release plan.json diets.csv --column 'share_*' --out mean-diet
\b
  geomdp release plan.json table.parquet --by diagnosis \\
      --person patient --out means

\b
  geomdp release plan.json ages.csv --column 'p*' --out growth

\b
  geomdp release plan.json table.csv --ledger study.db \\
      --dataset patients --out mean

\b
  geomdp release plan.json tensors.npy --scheduler tcp://head:8786 \\
      --out mean-tensor

A regression reads the columns that its plan names as covariates. npy, csv and
parquet files and folders of subjects may be larger than memory. With
--scheduler they, NIfTI files, images and meshes are read and prepared by the
workers of a Dask cluster, which send back nothing but sums.

\b
  geomdp release plan.json registry.csv --period 1 --out month-1
  geomdp release plan.json registry.csv --period 2 --after month-1 \\
      --out month-2

Records must number what the plan says. Everything that can fail is settled
before noise is drawn, and nothing is written then; what else there is to know
of the records is told by [bold]geomdp check[/bold] alone. With --ledger the budget is
debited first; the exit code is 5 if not enough of it is left.
"""


#: What ``geomdp release`` takes besides.
OPTIONS = (
    Option("--project", "Move the value into the ball: free.", type=bool, default=False),
    LEDGER,
    Option("--dataset", "Data set of the ledger that pays.", panel="Ledger", metavar="NAME"),
    KEY,
    Option(
        "--again",
        "Pay for the same plan and records a second time.",
        panel="Ledger",
        type=bool,
        default=False,
    ),
    Option("--xlsx", "Write its tables as results.xlsx, too.", type=bool, default=False),
    Option(
        "--scheduler",
        "Dask cluster whose workers read DATA: tcp://host:8786, or local.",
        panel="Many machines",
        metavar="ADDRESS",
    ),
)


def release_options() -> tuple[Option, ...]:
    """Return what ``geomdp release`` takes."""
    return (*data_options(), *OPTIONS)


def release_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="File or folder of records.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="New folder; must not exist.")
    ],
    given: Typed,
    as_json: Json = False,
    study: From = None,
) -> None:
    """Release a plan's statistic of DATA."""
    from geomdp.io.atomic import require_absent
    from geomdp.io.causes import naming_the_cause
    from geomdp.plans import load_plan
    from geomdp.registry import foreign_package

    dataset, scheduler = given["dataset"], given["scheduler"]
    _require_no_release(out)
    require_absent(out)
    if (given["ledger"] is None) is not (dataset is None):
        raise OptionError("--ledger and --dataset go together")
    book = given.ledger()  # before anything is read, so that what is missing is missed first
    made = load_plan(plan)
    choices = choices_of(given, made)
    with status("Reading records"):
        elsewhere = scheduler is not None
        loaded, chosen = read_data(made, data, choices, given, elsewhere)
        made, chosen = at_period(made, chosen, given)
    seen = [path for path in (data, given["mask"]) if path is not None]
    with status("Releasing") as tell, _connected(scheduler, seen, tell):
        with naming_the_cause(loaded, choices, made.statistic):
            prepared = made.prepare(chosen, project=given["project"])
        if book is not None:
            prepared = book.pay(prepared, made, chosen, dataset, given["again"])
        further = further_format(made, loaded, choices, _not_published)
        with _telling_what_was_debited(book, dataset, out), _telling_what_is_there(out):
            release = prepared.draw_into(out, further, foreign_package(loaded.format))
    if given["xlsx"]:
        _write_workbook(release, out)
    _tell(made, out, as_json)
    if book is not None and dataset is not None and not as_json:
        _tell_rest(book, dataset)


def _write_workbook(release: "Release", out: Path) -> None:
    """Write a workbook beside what was released; where it cannot be, the release stands."""
    from geomdp.releases.estimates.workbook import write_workbook

    try:
        write_workbook(release, out)
    except (GeomdpError, OSError) as error:
        typer.echo(f"geomdp: The release is complete, without results.xlsx: {error}", err=True)


def _not_published(words: str) -> None:
    """Tell the curator what depends on the value or the records."""
    typer.echo(f"geomdp: not for publication: {words}", err=True)


@contextmanager
def _connected(
    scheduler: str | None, paths: list[Path], tell: "Callable[[str], None]"
) -> "Iterator[None]":
    """Connect to a cluster where one was named, and tell how far each pass over its blocks is."""
    if scheduler is None:
        yield
        return
    from geomdp.sources import machines
    from geomdp.sources.dask_source import watch

    with machines(scheduler, paths=[path.resolve() for path in paths]):
        watch(lambda done, blocks: tell(f"{done} of {blocks} blocks"))
        try:
            yield
        finally:
            watch(None)


def _require_no_release(out: Path) -> None:
    """Refuse a folder whose release was stopped before its report: it holds a value already."""
    from geomdp.plans.release import MANIFEST, REPORT

    if (out / MANIFEST).is_file() and not (out / REPORT).exists():
        raise GeomdpError(
            f"{str(out)!r} holds a release whose report was not made. Do not release again: "
            f"geomdp report {quoted(out)}"
        )


@contextmanager
def _telling_what_is_there(out: Path) -> "Iterator[None]":
    """Say of a release that was stopped after its value was written that nothing else is lost."""
    try:
        yield
    except BaseException:  # Ctrl-C too
        if out.exists():
            typer.echo(
                f"geomdp: The release in {out} is complete but for its report. Do not release "
                f"again: geomdp report {quoted(out)}",
                err=True,
            )
        raise


@contextmanager
def _telling_what_was_debited(
    book: "Ledger | None", dataset: str | None, out: Path
) -> "Iterator[None]":
    """Say of a release that was stopped whether its budget is gone: it is never lost silently."""
    if book is None or dataset is None:
        yield
        return
    before = book.length()
    try:
        yield
    except BaseException:  # Ctrl-C and a full disk too
        with suppress(Exception):
            how = f"--folder {out}" if out.exists() else "--abandon"
            for number in book.balance(dataset).unpublished:
                if number < before:
                    continue
                typer.echo(
                    f"geomdp: Entry {number} of the ledger is debited and not published. If no "
                    "other release is at work, it is this one's: geomdp ledger resolve "
                    f"{book.where} {number} {how}.",
                    err=True,
                )
        raise


def _tell(made: "Plan", out: Path, as_json: bool) -> None:
    """Say what was written; nothing here depends on the data."""
    files = sorted(str(file.relative_to(out)) for file in out.rglob("*") if file.is_file())
    promise = str(made.guarantee)
    if as_json:
        document: dict[str, Any] = {"folder": str(out), "promise": promise, "files": files}
        typer.echo(json.dumps(document, indent=2))
        return
    typer.echo(f"Released     {out}")
    typer.echo(f"Promise      {promise}")
    typer.echo(f"Read         {out / 'report.html'}")
    typer.echo(f"Check        geomdp verify {quoted(out)}")


def _tell_rest(book: "Ledger", dataset: str) -> None:
    """Say what is left, if the ledger still answers: the release is out, and nothing may fail."""
    with suppress(GeomdpError):
        balance = book.balance(dataset)
        typer.echo(f"Left         {balance.remaining.words()} for {dataset}")
        if balance.warning:
            typer.echo(f"Warning      {balance.warning}")
