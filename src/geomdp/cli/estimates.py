"""``geomdp compare`` and ``geomdp combine``: what several releases of moments say together."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geomdp.cli.declared import Json

if TYPE_CHECKING:
    from geomdp.releases.estimates import MomentsEstimate

COMPARE_HELP = """Test whether two groups differ, from their releases of moments.

Free: nothing of the data is touched. Both need the same ball. Of a release by
group, give the groups' folders.

[bold]Example[/bold]

\b
  geomdp compare study/1-control study/2-patient
"""

COMBINE_HELP = """Combine sites' releases of moments about one ball into one mean.

Free: nothing of the data is touched. Each mean weighs by its precision; the
folder that --out writes holds the combined mean with its error.

[bold]Example[/bold]

\b
  geomdp combine site-a site-b site-c --out together
"""


def compare_command(
    first: Annotated[Path, typer.Argument(metavar="A", help="Folder of a release of moments.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, with the same ball.")],
    as_json: Json = False,
) -> None:
    """Compare two releases."""
    from geomdp.releases.estimates import compare

    result = compare(*(_moments(folder) for folder in (first, second)))
    if as_json:
        document = {
            "statistic": result.statistic,
            "expected_if_equal": result.expected,
            "p_value": result.p_value,
            "difference": list(result.difference),
        }
        typer.echo(json.dumps(document, indent=2))
        return
    typer.echo(f"{first} and {second}: {result}.")


def combine_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Releases of moments, one a site.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New folder.")],
    as_json: Json = False,
) -> None:
    """Combine releases."""
    from geomdp.io.atomic import new_folder
    from geomdp.plans import load_release
    from geomdp.plans.release import fingerprint
    from geomdp.releases.estimates import combine
    from geomdp.releases.estimates.comparison import combined_document
    from geomdp.report.sections import combined_html

    sites = {str(folder): _moments(folder) for folder in folders}
    joint = combine(sites.values())
    names = {folder: fingerprint(load_release(folder)) for folder in sites}
    document = combined_document(joint, names)
    text = json.dumps(document, indent=2) + "\n"
    with new_folder(out) as inside:
        inside.mkdir()
        (inside / "combined.json").write_text(text, encoding="utf-8")
        (inside / "report.html").write_text(combined_html(joint, sites), encoding="utf-8")
    if as_json:
        typer.echo(text, nl=False)
        return
    half = joint.confidence_region().half_axes[0]
    typer.echo(
        f"Combined     {len(sites)} releases, n = {sum(s.n for s in sites.values())} together"
    )
    typer.echo(f"Mean         known to {half:.4g} or better at 95%, if all sites have the same")
    typer.echo(f"Read         {out / 'report.html'}")


def _moments(folder: Path) -> "MomentsEstimate":
    from geomdp.plans import load_release
    from geomdp.releases.estimates import moments_of

    return moments_of(load_release(folder))
