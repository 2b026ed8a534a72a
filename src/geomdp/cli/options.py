"""Options that commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from geomdp.cli.numbers import read_count, read_number

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]

Space = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="SPEC",
        help="Where records live: sphere:2, spd:3, spd:3:log-euclidean, planar-shapes:50, "
        "hyperbolic:2, euclidean:5, rotations, correlation:20, size-and-shape:30:3, shapes:30:3, "
        "product:rotations+euclidean:3*0.25; descriptors:28x28x1 for images, whose ball is known; "
        "functions:24 for curves of 24 samples.",
        rich_help_panel="What is public",
    ),
]
Center = Annotated[
    str | None,
    typer.Option(
        "--center",
        metavar="POINT",
        help="Public centre of the ball: identity, origin, numbers such as 0,0,1 (on a sphere, "
        "any vector of that direction), or a file. With --template: where disk maps begin (most-"
        "protruding; middle for surfaces without a nose).",
        rich_help_panel="What is public",
    ),
]
Radius = Annotated[
    float | None,
    typer.Option(
        "--radius",
        parser=read_number,
        metavar="FLOAT",
        help="Public radius; records farther out are clipped. Never take it from the data.",
        rich_help_panel="What is public",
    ),
]
BallFile = Annotated[
    Path | None,
    typer.Option(
        "--ball",
        metavar="FILE",
        help="The ball that geomdp ball wrote, in place of --space, --center and --radius; or the "
        "folder of a release that found one privately.",
        rich_help_panel="What is public",
    ),
]
FindBall = Annotated[
    bool,
    typer.Option(
        "--find-ball",
        help="The ball is a prior that may be far too wide: find a narrow one privately first. On "
        "compact spaces --center and --radius may be left out.",
        rich_help_panel="What is public",
    ),
]
Template = Annotated[
    Path | None,
    typer.Option(
        "--template",
        metavar="MESH",
        help="Public mesh, for the mean of surfaces; --radius is then the root mean square "
        "distance from it, at area one; left out, it is found privately first, with a small part "
        "of the budget.",
        rich_help_panel="What is public",
    ),
]
Count = Annotated[
    int | None,
    typer.Option(
        "--n",
        parser=read_count,
        metavar="INTEGER",
        help="Public number of records, or with --unit person of persons.",
        rich_help_panel="What is public",
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="LABEL=SIZE",
        help="Public size of a group, once for each group, instead of --n.",
        rich_help_panel="Groups and persons",
    ),
]
PrivateLabels = Annotated[
    bool,
    typer.Option(
        "--private-labels",
        help="Protect who belongs to which group too: charged to two groups.",
        rich_help_panel="Groups and persons",
    ),
]
Protected = Annotated[
    Literal["record", "person"],
    typer.Option(
        "--unit",
        help="person: all records of a person, any number, count as one; --n and --group are then "
        "numbers of persons.",
        rich_help_panel="Groups and persons",
    ),
]
GroupsPerPerson = Annotated[
    int,
    typer.Option(
        "--groups-per-person",
        min=1,
        metavar="G",
        help="With --unit person: in how many groups a person may be; further ones do not count.",
        rich_help_panel="Groups and persons",
    ),
]
MaxPerPerson = Annotated[
    int,
    typer.Option(
        "--max-per-person",
        min=1,
        metavar="K",
        help="Public maximum of records a person: the budget is a promise to persons.",
        rich_help_panel="Groups and persons",
    ),
]
Statistic = Annotated[
    str,
    typer.Option(
        "--statistic",
        metavar="TAG",
        help="What is asked: frechet-mean, tangent-mean, moments, regression, or a plug-in's; with "
        "--find-ball also ball, the ball alone.",
        rich_help_panel="How",
    ),
]
Covariates = Annotated[
    list[str] | None,
    typer.Option(
        "--covariate",
        metavar="NAME=LOW:HIGH",
        help="With --statistic regression, once for each covariate: the public range of a number "
        "(age=20:90), or the public levels of a category (sex=f,m). NAME is the data's column.",
        rich_help_panel="What is public",
    ),
]
Voxels = Annotated[
    str | None,
    typer.Option(
        "--voxels",
        metavar="MASK",
        help="A map: one mean in each voxel of a public NIfTI mask (or this many voxels), over "
        "people who have a record in each. --center and --radius are those of a voxel, on a flat "
        "--space such as spd:3:log-euclidean.",
        rich_help_panel="What is public",
    ),
]
MapBound = Annotated[
    float | None,
    typer.Option(
        "--map-bound",
        parser=read_number,
        metavar="FLOAT",
        help="With --voxels: root mean square distance from the centre over the voxels that maps "
        "keep; --radius if left out. Noise is proportional to it.",
        rich_help_panel="What is public",
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="NAMES",
        help="Public names of shares, regions, features or landmarks, for pictures and files: "
        "sand,silt,clay, or a text file with one name a line. Never taken from the data.",
        rich_help_panel="What is public",
    ),
]
Epsilon = Annotated[
    str | None,
    typer.Option("--epsilon", help="Pure privacy.", rich_help_panel="Budget: one of"),
]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        help="With --epsilon (or --error): approximate privacy.",
        rich_help_panel="Budget: one of",
    ),
]
Mu = Annotated[
    str | None,
    typer.Option("--mu", help="Gaussian privacy.", rich_help_panel="Budget: one of"),
]
Rho = Annotated[
    str | None,
    typer.Option("--rho", help="Zero-concentrated privacy.", rich_help_panel="Budget: one of"),
]
Error = Annotated[
    float | None,
    typer.Option(
        "--error",
        parser=read_number,
        metavar="FLOAT",
        help="Find the smallest budget with this expected error.",
        rich_help_panel="Budget: one of",
    ),
]
Kind = Annotated[
    Literal["pure", "gdp", "zcdp"],
    typer.Option(
        "--kind", help="With --error: the kind of budget.", rich_help_panel="Budget: one of"
    ),
]
Quantile = Annotated[
    float | None,
    typer.Option(
        "--quantile",
        parser=read_number,
        metavar="FLOAT",
        help="With --error: bound this quantile of the error instead of its mean, such as 0.95.",
        rich_help_panel="Budget: one of",
    ),
]
MechanismName = Annotated[
    str,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="auto takes the smallest expected error.",
        rich_help_panel="How",
    ),
]
Bound = Annotated[
    Literal["sharp", "paper"],
    typer.Option("--bound", help="Bound on the sensitivity.", rich_help_panel="How"),
]
Invalid = Annotated[
    Literal["refuse", "public"] | None,
    typer.Option(
        "--invalid",
        help="What an invalid record does: refuse the data set (default), or count as the public "
        "centre, so that privacy holds for every data set. Surfaces always do the latter.",
        rich_help_panel="How",
    ),
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="COLUMN", help="Labels of the plan's groups."),
]
Person = Annotated[
    str | None,
    typer.Option("--person", metavar="COLUMN", help="Who each record belongs to."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="NAME", help="Columns of numbers, or the npz array; 't_*' is many."
    ),
]
Mask = Annotated[
    Path | None,
    typer.Option("--mask", metavar="FILE", help="NIfTI mask: voxels other than 0 count."),
]
Triangle = Annotated[
    Literal["lower", "upper"],
    typer.Option("--triangle", help="Order of a symmetric matrix's 6 components."),
]
Title = Annotated[
    str, typer.Option("--title", help="What the study is called.", rich_help_panel="For the board")
]
Purpose = Annotated[
    str, typer.Option("--purpose", help="What the release is for.", rich_help_panel="For the board")
]
DataDescription = Annotated[
    str,
    typer.Option(
        "--data-description", help="Which records, in words.", rich_help_panel="For the board"
    ),
]
Institution = Annotated[
    str,
    typer.Option(
        "--institution", help="Who answers for the plan.", rich_help_panel="For the board"
    ),
]
Contact = Annotated[
    str, typer.Option("--contact", help="Whom to ask.", rich_help_panel="For the board")
]
Ledger = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="LEDGER",
        help="The account that pays: a path or a database URL.",
        rich_help_panel="Ledger",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="Key of the ledger, if it is not in ~/.config/geomdp/ledgers.",
        rich_help_panel="Ledger",
    ),
]
