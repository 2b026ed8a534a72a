"""``geomdp studio``: everything in a browser, on one's own machine."""

from pathlib import Path
from typing import Annotated

import typer

#: What the extra brings.
NEEDED = ("starlette", "uvicorn", "python_multipart")

HELP = """Plan, check, sign, release and verify in a browser, on this machine alone.

FOLDER is the project: records, plans, signatures, ledgers and releases lie in it,
as the other commands write them, and nothing outside it is read. The page is
served at 127.0.0.1, to whoever has the address that is printed; it loads nothing
from elsewhere and sends nothing there.

[bold]Examples[/bold]

\b
  geomdp studio
\b
  geomdp studio my-study --no-browser --port 8765
"""


def studio_command(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The project; the current folder if left out.")
    ] = Path(),
    port: Annotated[int, typer.Option("--port", help="A free one if left out.", min=0)] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page, or print its address.")
    ] = True,
) -> None:
    """Serve the studio."""
    from geomdp.errors import MissingExtraError
    from geomdp.studio import serve

    try:
        serve(folder, port, browser, typer.echo)
    except ModuleNotFoundError as error:  # before anything is served
        if str(error.name).partition(".")[0] not in NEEDED:
            raise
        raise MissingExtraError("The studio needs: pip install 'geomdp[studio]'.") from error
