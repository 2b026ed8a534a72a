"""``geomdp consortium``: sites that trust nobody release together, by files that may go any way."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli.declared import Json, add_command
from geomdp.errors import GeomdpError
from geomdp.options import Option, OptionError
from geomdp.runtime.progress import status
from geomdp.typed.inputs import Typed
from geomdp.typed.options import LEDGER, data_options
from geomdp.typed.records import choices_of, read_data

if TYPE_CHECKING:
    from geomdp.consortia import ConsortiumOverTime, ConsortiumPlan, ConsortiumStages, Payer
    from geomdp.plans.release import Release

HELP = """Release together with sites that trust nobody.

Each site adds its own noise to its own sums, and only the total of all is ever
opened: no record, no sum and no size of a site leaves its house. Files are all
that is exchanged, by mail, sftp or any other way; there is no server.

[bold]Example[/bold]

\b
  geomdp consortium key --out clinic         at every site and aggregator
  geomdp plan ... --n 680 --out plan.json    n: the expected total
  geomdp consortium plan plan.json --site clinic=clinic.pub \\
      --site ward=ward.pub --site lab=lab.pub \\
      --aggregator hub=hub.pub --aggregator uni=uni.pub \\
      --colluding 1 --roster 3 --out consortium.json
  geomdp consortium answer consortium.json patients.csv \\
      --key clinic.key --out clinic.box      at every site
  geomdp consortium add consortium.json *.box --key hub.key \\
      --out hub.total                        at every aggregator
  geomdp consortium release consortium.json *.total --out mean
  geomdp verify mean                         anybody

Nobody learns more than the promise allows unless all aggregators collude, or
one of them with more sites than --colluding says. geomdp show consortium.json
says to a board what leaves its house, and who would have to collude.

A plan in stages (geomdp plan --find-ball) finds a ball first, by one round a
stage: release each, and give the folders to the next (--earlier). A plan over
time (geomdp plan --periods) has a round a period; the next one needs the last
folder, and --period-column says when each record entered.
"""

consortium_app = typer.Typer(
    help=HELP, no_args_is_help=True, rich_markup_mode="rich", add_completion=False
)

Plan = Annotated[
    Path, typer.Argument(metavar="CONSORTIUM", help="From geomdp consortium plan --out.")
]
Earlier = Annotated[
    list[Path] | None,
    typer.Option(
        "--earlier",
        metavar="FOLDER",
        help="Of a plan in stages: the releases of the stages before, in order. Of one over time: "
        "that of the period before.",
    ),
]
Key = Annotated[
    Path, typer.Option("--key", metavar="FILE", help="Private key, from geomdp consortium key.")
]
Boxes = Annotated[list[Path], typer.Argument(metavar="BOX...", help="The sites' boxes.")]


@consortium_app.command("key")
def key_command(
    out: Annotated[
        Path, typer.Option("--out", metavar="NAME", help="Makes NAME.key and NAME.pub.")
    ],
) -> None:
    """Make the key of a site or an aggregator: NAME.key stays, NAME.pub is handed out."""
    from geomdp.consortia import make_identity

    made = make_identity(out)
    typer.echo(f"Private      {made.file}: readable by you alone; keep it, and hand it to nobody")
    typer.echo(f"Public       {out}.pub: give it to whoever plans, by a way that you trust")
    typer.echo(f"Verify key   {made.public.verify}: compare it by telephone")


@consortium_app.command("plan")
def plan_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    colluding: Annotated[
        int,
        typer.Option(
            "--colluding",
            help="The most sites that may collude, 1 or more: whoever sees the result takes its "
            "own noise off.",
        ),
    ],
    roster: Annotated[
        int,
        typer.Option("--roster", help="The fewest sites whose total may be opened."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="New file.")],
    site: Annotated[
        list[str] | None,
        typer.Option("--site", metavar="NAME=FILE.pub", help="A site and its public key."),
    ] = None,
    sites: Annotated[
        Path | None,
        typer.Option("--sites", metavar="FOLDER", help="Every NAME.pub in a folder is a site."),
    ] = None,
    aggregator: Annotated[
        list[str] | None,
        typer.Option(
            "--aggregator",
            metavar="NAME=FILE.pub",
            help="An institution that adds, and its public key: two or more.",
        ),
    ] = None,
) -> None:
    """Name the sites and aggregators of a plan, and who of them may collude.

    The plan is one curator's, of any linear statistic (tangent mean, moments, regression, classes,
    extrinsic mean, distributions, curves, maps), in stages or over time too, with the expected
    total number of records; sites' own numbers stay private. All records of a person must be at one
    site. --roster minus --colluding sites carry all noise: the error is one curator's times the
    root of all sites over these.
    """
    from geomdp.consortia import consortium
    from geomdp.plans import load_plan

    folder = {} if sites is None else {file.stem: file for file in sorted(sites.glob("*.pub"))}
    made = consortium(
        load_plan(plan),
        sites={**folder, **_named("--site", site, folder)},
        aggregators=_named("--aggregator", aggregator, {}),
        colluding=colluding,
        roster=roster,
    )
    made.save(out)
    typer.echo(str(made))
    typer.echo(f"Hash         {made.hash}")
    typer.echo(f"For boards   geomdp show {out}")


def _named(option: str, typed: list[str] | None, taken: dict[str, Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in typed or ():
        name, sign, file = text.partition("=")
        if not sign or not name or name in found or name in taken:
            wanted = "NAME=FILE.pub with a name of its own"
            raise typer.BadParameter(f"{option} {text!r} is not {wanted}")
        found[name] = Path(file)
    return found


#: What ``answer`` takes beside what says how DATA is read.
OPTIONS = (
    Option(
        "--earlier",
        "Of a plan in stages: releases of the stages before, in order. Of one over time: that of "
        "the period before.",
        panel="Stages",
        metavar="FOLDER",
        type=Path,
        many=True,
    ),
    LEDGER,
    Option("--dataset", "Data set of the ledger that pays.", panel="Ledger", metavar="NAME"),
    Option(
        "--ledger-key",
        "Key of the ledger, if it is not in ~/.config/geomdp/ledgers.",
        panel="Ledger",
        metavar="FILE",
        type=Path,
    ),
)

ANSWER_HELP = """Answer as a site: own sums, own noise, sealed to each aggregator.

With --ledger the site's own budget is debited first. The site answers once: a
second run hands out the same bytes, which are kept beside the key, whatever
DATA then says. Keep that folder as long as the key.

The box tells nobody anything but its aggregators together with all others:
kilobytes that are random alone.

[bold]Example[/bold]

\b
  geomdp consortium answer consortium.json patients.csv \\
      --key clinic.key --ledger clinic.db --dataset patients \\
      --out clinic.box
"""


def answer_command(
    plan: Plan,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="File or folder of records.")],
    key: Key,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The box; hand it out.")],
    given: Typed,
) -> None:
    """Answer as a site."""
    from geomdp.consortia import answer, read_identity
    from geomdp.consortia.keeping import hand_out
    from geomdp.io.causes import naming_the_cause

    whole, identity = _loaded(plan), read_identity(key)
    made, payer = whole.following(_releases(given["earlier"])), _payer(given)
    choices = choices_of(given, whole)  # all stages read the same columns

    def records() -> Any:
        loaded, chosen = read_data(whole, data, choices, given)
        with naming_the_cause(loaded, choices, whole.statistic):
            made.encoded_here(chosen)  # what is wrong with a record is said with its place
        return chosen

    with status("Answering"):
        text = answer(made, records, identity, payer)
    hand_out(text, out)
    typer.echo(f"Answered     {out}: {len(text)} bytes, for {', '.join(made.aggregators)}")
    typer.echo(f"Kept         {identity.kept}: the same bytes again; back it up with the key")


def _payer(given: Typed) -> "Payer | None":
    if (given["ledger"] is None) is not (given["dataset"] is None):
        raise OptionError("--ledger and --dataset go together")
    if given["ledger"] is None:
        return None
    from geomdp.consortia import Payer
    from geomdp.ledger import Ledger

    return Payer(Ledger(given["ledger"], given["ledger_key"]), given["dataset"])


add_command(
    consortium_app, "answer", ANSWER_HELP, answer_command, lambda: (*data_options(), *OPTIONS)
)


@consortium_app.command("list")
def list_command(
    plan: Plan,
    boxes: Boxes,
    key: Key,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The signed list.")],
    earlier: Earlier = None,
) -> None:
    """Sign, as an aggregator, which boxes are here: where sites are missing, all agree by it."""
    from geomdp.consortia import list_boxes, read_identity
    from geomdp.consortia.keeping import hand_out

    made = _loaded(plan).following(_releases(earlier))
    hand_out(list_boxes(made, boxes, read_identity(key)), out)
    typer.echo(f"Listed       {out}: give it to every aggregator")


@consortium_app.command("add")
def add_command_(
    plan: Plan,
    boxes: Boxes,
    key: Key,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The total; publish it.")],
    lists: Annotated[
        list[Path] | None,
        typer.Option("--list", metavar="FILE", help="Signed list of each aggregator, own too."),
    ] = None,
    earlier: Earlier = None,
) -> None:
    """Add, as an aggregator, the shares of all sites, and publish one total: once a stage.

    Refused are boxes that are unsigned, of another plan or stage, handed in twice or by somebody
    else, a roster below the plan's, and a second opening with another roster. Where sites are
    missing, the roster is what the lists of all aggregators have in common.
    """
    from geomdp.consortia import add, read_identity
    from geomdp.consortia.keeping import hand_out

    made, identity = _loaded(plan).following(_releases(earlier)), read_identity(key)
    with status("Adding"):
        text = add(made, boxes, identity, lists or ())
    hand_out(text, out)
    typer.echo(f"Added        {out}: publish it")
    typer.echo(f"Kept         {identity.kept}: nothing else of this stage will be opened")


@consortium_app.command("release")
def release_command(
    plan: Plan,
    totals: Annotated[list[Path], typer.Argument(metavar="TOTAL...", help="Of all aggregators.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New folder.")],
    earlier: Earlier = None,
    as_json: Json = False,
) -> None:
    """Make the release of the aggregators' totals: anybody can, and spends nothing.

    A usual folder; geomdp verify checks totals, signatures and roster too. Of a plan in stages, the
    folder of a stage, which the next one needs (--earlier); of the last one, of all stages.
    """
    from geomdp.consortia import open_release, read_totals
    from geomdp.io.atomic import require_absent

    require_absent(out)
    whole, before = _loaded(plan), _releases(earlier)
    made = whole.following(before)
    opened = read_totals(made, totals)
    release = open_release(made, opened)
    whole.finished(before, release).save(out)
    promise = str(made.guarantee)
    if as_json:
        told = {"folder": str(out), "promise": promise, "n": release.plan.n}
        typer.echo(json.dumps({**told, "roster": list(opened.roster)}, indent=2))
        return
    typer.echo(f"Released     {out}")
    typer.echo(f"Sites        {len(opened.roster)} of {len(made.sites)}, {release.plan.n} in all")
    typer.echo(f"Promise      {promise}")
    typer.echo(f"Read         {out / 'report.html'}")
    typer.echo(f"Check        geomdp verify {out}")


SIMULATE_HELP = """Try a consortium out on PUBLIC records: a whole round, its faults, its error.

What is printed depends on DATA without noise. Keys are made, boxes sealed and
opened as in earnest; a site drops out, one comes late, one lies, boxes are
copied, sent twice, taken from another plan or version, and forged. The errors are of noise alone:
one curator, this consortium, and each site's own release, pooled.

[bold]Example[/bold]

\b
  geomdp data tensors --out tensors.npy
  geomdp plan --space spd:3 --center identity --radius 2 --n 972 \\
      --statistic tangent-mean --mu 1 --out plan.json
  geomdp consortium simulate plan.json tensors.npy --sites 17
"""


def simulate_command(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="From geomdp plan --out.")],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="PUBLIC records.")],
    given: Typed,
    sites: Annotated[int, typer.Option("--sites", min=2, help="Number of sites.")] = 17,
    aggregators: Annotated[int, typer.Option("--aggregators", min=2, help="Number of them.")] = 3,
    colluding: Annotated[int, typer.Option("--colluding", help="Sites that may collude.")] = 1,
    roster: Annotated[
        int | None, typer.Option("--roster", help="Fewest sites; all but one if left out.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of split and noise.")] = 0,
) -> None:
    """Try a consortium out."""
    from geomdp.consortia import simulate
    from geomdp.plans import load_plan

    made = load_plan(plan).single
    _, chosen = read_data(made, data, choices_of(given, made), given)
    with status("Simulating"):
        found = simulate(
            made,
            chosen,
            sites=sites,
            aggregators=aggregators,
            colluding=colluding,
            roster=roster,
            seed=seed,
        )
    typer.echo(str(found))


add_command(consortium_app, "simulate", SIMULATE_HELP, simulate_command, data_options)


def _loaded(file: Path) -> "ConsortiumPlan | ConsortiumStages | ConsortiumOverTime":
    from geomdp.plans import load_plan

    made: Any = load_plan(file)
    if not made.has_sites:
        raise GeomdpError(
            f"{str(file)!r} names no sites; make a consortium of it with: geomdp consortium plan."
        )
    found: ConsortiumPlan | ConsortiumStages | ConsortiumOverTime = made
    return found


def _releases(folders: list[Path] | None) -> "list[Release]":
    from geomdp.plans import load_release

    return [load_release(folder) for folder in folders or ()]
