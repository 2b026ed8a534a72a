"""``geomdp show`` and ``report``: a plan in plain words, and the pages of a release made again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.options import quoted

if TYPE_CHECKING:
    from geomdp.plans import Plan

HELP = """Show a plan in plain words: what is public, what a release may tell of whom.

Also the error to expect, warnings with what would help, the other mechanisms,
and the hash that a board signs. Touches no data.

[bold]Examples[/bold]

\b
  geomdp show plan.json
  geomdp show plan.json --html plan.html

The page adds pictures of the centre and of records at the edge of the ball,
a control for radius and budget, and a block to sign. An altered file is
refused.
"""


#: Of what there is a plan.
Methods = Annotated[
    bool,
    typer.Option(
        "--methods", help="Print a paragraph for the methods section of an article, with citations."
    ),
]


def _tell_methods(plan: "Plan") -> None:
    from geomdp.report.methods import methods_paragraph

    typer.echo(methods_paragraph(plan))


def show_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the page for the board.")
    ] = None,
    methods: Methods = False,
) -> None:
    """Show a plan."""
    from geomdp.plans import load_plan
    from geomdp.report.plan_page import plan_text

    made = load_plan(plan)
    if methods:
        _tell_methods(made)
        return
    typer.echo(plan_text(made))
    if html is not None:
        from geomdp.io.atomic import write_whole
        from geomdp.report import plan_html

        write_whole(html, plan_html(made))
        typer.echo(f"Page         {html}", err=True)


REPORT_HELP = """Make the report of a release again, from its value and manifest.

For a release that was stopped before its report was made, and for one whose
report another version wrote. Needs no data, draws nothing and spends nothing:
every page follows from the value and the manifest, which stay as they are.

[bold]Example[/bold]

\b
  geomdp report mean-tensor
\b
  geomdp report mean-tensor --xlsx
"""


def report_command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="From geomdp release --out.")],
    methods: Methods = False,
    xlsx: Annotated[
        bool, typer.Option("--xlsx", help="Write its tables as results.xlsx, too.")
    ] = False,
) -> None:
    """Make the pages of a release again."""
    from geomdp.plans import load_release
    from geomdp.plans.release import write_pages
    from geomdp.releases.estimates.workbook import WORKBOOK, write_workbook

    release = load_release(folder)
    if methods:
        _tell_methods(release.plan)
        return
    write_pages(release, folder)
    if xlsx or (folder / WORKBOOK).exists():
        typer.echo(f"Table        {write_workbook(release, folder)}")
    typer.echo(f"Read         {folder / 'report.html'}")
    typer.echo(f"Check        geomdp verify {quoted(folder)}")
