"""``geomdp data``: shipped records as a file, to try the command on."""

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

    from geomdp.datasets import diffusion_extremes, load_directions, load_tensors
    from geomdp.errors import GeomdpError
    from geomdp.io.atomic import new_folder

    if out.suffix != ".npy":
        raise GeomdpError(f"{str(out)!r} should end in .npy, the format that is written.")
    load = {"tensors": load_tensors, "directions": load_directions}
    data = load.get(name, diffusion_extremes)()
    with new_folder(out) as file:
        np.save(file, data.records)
    typer.echo(f"Written      {out}: {len(data.records)} records, {data.name}")
    typer.echo(f"Source       {data.source}")
    typer.echo(f"Licence      {data.license}")
    if name == "diffusion-extremes":  # no records of anybody: a ball is chosen by them
        typer.echo(f'Next         geomdp ball {out} {_BALLS[name]} --source "{data.source}"')
        return
    typer.echo(
        f"Next         geomdp plan {_BALLS[name]} --n {len(data.records)} --epsilon 1 "
        "--out plan.json"
    )


#: The public balls of the data sets, as one types them: the field of a dipole at 78 degrees south
#: points along (1, 0, 2 tan(-78 degrees)).
_BALLS = {
    "tensors": "--space spd:3 --center identity --radius 2",
    "diffusion-extremes": "--space spd:3 --center 0.7,0,0.7,0,0,0.7 --html ball.html",
    "directions": "--space sphere:2 --center 1,0,-9.41 --radius 0.5236",
}
