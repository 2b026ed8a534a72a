"""``geomdp data`` and ``demo``: shipped records as a file, and the whole workflow on them."""

from pathlib import Path
from typing import Annotated, Literal

import typer

HELP = """Write records that come with the package to a file, to try things on.

Says where they come from, and how to plan for them.

[bold]Example[/bold]

\b
  geomdp data tensors --out tensors.npy
\b
  Tensors as extreme as brain tissue is published to be, to choose a ball by:
    geomdp data diffusion-extremes --out extremes.npy
"""


def data_command(
    name: Annotated[
        Literal["tensors", "directions", "diffusion-extremes"],
        typer.Argument(help="Which records."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="New npy file.")],
) -> None:
    """Write shipped records to a file."""
    import numpy as np

    from geomdp.datasets import DATASETS
    from geomdp.errors import GeomdpError
    from geomdp.io.atomic import new_folder

    if out.suffix != ".npy":
        raise GeomdpError(f"{str(out)!r} should end in .npy, the format that is written.")
    data = DATASETS[name]()
    with new_folder(out) as file:
        np.save(file, data.records)
    typer.echo(f"Written      {out}: {len(data.records)} records, {data.name}")
    typer.echo(f"Source       {data.source}")
    typer.echo(f"Licence      {data.license}")
    typer.echo(f"Next         {data.next_command.replace('{file}', str(out))}")


DEMO_HELP = """Plan, release and verify on data that come with the package.

Makes a folder with an index page, and for each example its plan page, release and report.

[bold]Example[/bold]

\b
  geomdp demo my-demo
"""


def demo_command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="New, or made by an earlier demo.")
    ] = Path("geomdp-demo"),
) -> None:
    """Run the demonstration."""
    from geomdp.cli.demonstration import make_demo

    index = make_demo(folder, tell=lambda text: typer.echo(text, err=True))
    typer.echo(f"Open         {index}")
