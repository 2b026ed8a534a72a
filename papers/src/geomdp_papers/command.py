"""``geomdp study``: what the command prints, and how a person chooses studies."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.study import COMMANDS
from geomdp.errors import GeomdpError

if TYPE_CHECKING:
    from geomdp_papers.studies.runner import Run


def study_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="See --list.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All studies.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Name the studies.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small: seconds instead of minutes or hours.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of data and noise.")] = 0,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where results go.")] = Path(
        "geomdp-studies"
    ),
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FOLDER", help="Further data; else shipped stand-ins."),
    ] = None,
) -> None:
    """Run studies."""
    from geomdp_papers.studies import STUDIES
    from geomdp_papers.studies.runner import run

    if listed:
        for study in STUDIES.values():
            typer.echo(f"{study.name:20} {study.of}: {study.shows}")
        return
    if (name is None) != every:
        raise GeomdpError("Give the name of one study, or --all; --list names them.")
    if data is not None and not data.is_dir():
        raise GeomdpError(f"There is no folder {str(data)!r} of further data.")
    for each in list(STUDIES) if name is None else [name]:
        study = STUDIES.named(each)
        with _progress(each) as tell:
            finished = run(study, out, quick=quick, seed=seed, data=data, tell=tell)
        _print(finished, out)


def _print(finished: "Run", out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    study = finished.study
    table = Table(title=f"{study.name}: {study.of}", show_lines=True)
    for head in ("claim", "found", "verdict"):
        table.add_column(head, overflow="fold")
    for claim in finished.claims:
        reason = f"{claim.verdict}: {claim.because}" if claim.because else claim.verdict
        table.add_row(f"{claim.where}: {claim.says}", claim.found, reason)
    console = Console()
    console.print(table)
    if finished.quick:
        console.print(
            "A quick run shows that a study runs. Verdicts are those of full runs only, on the "
            "page of results: with so few draws some are of the other kind."
        )
    if study.stand_in:
        console.print(f"Data: {study.stand_in}")
    console.print(f"Results in {out / study.name}.csv, .json and .svg", soft_wrap=True)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


COMMANDS.register("study", study_command)
