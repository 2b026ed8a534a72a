"""``geomdp report``: make the pages of a release again, from its folder alone."""

from pathlib import Path
from typing import Annotated

import typer

HELP = """Make the report of a release again, from its value and manifest.

For a release that was stopped before its report was made, and for one whose
report another version wrote. Needs no data, draws nothing and spends nothing:
every page follows from the value and the manifest, which stay as they are.

[bold]Example[/bold]

\b
  geomdp report mean-tensor
"""


def report_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="From geomdp release --out.")],
) -> None:
    """Make the pages of a release again."""
    from geomdp.plans import load_release
    from geomdp.releases.release import write_pages

    release = load_release(folder)
    write_pages(release, folder)
    typer.echo(f"Read         {folder / 'report.html'}")
    typer.echo(f"Check        geomdp verify {folder}")
