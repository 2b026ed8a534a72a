"""The one table: everything that varies, and what may meet. A new value is one word here.

What a value means stands where it is used: spaces are built from their spec, so that a new space is
its spec and nothing else; sources are functions of :mod:`.sources`, hostile records of
:mod:`.hostile`, all others a line of :mod:`.question`.
"""

from functools import cache

from geomdp.spaces.base import Space
from geomdp.spaces.specs import space_from_spec

from .covering import Case, Factor, Rule, Table

#: What is written in columns needs records that are one row of numbers in Python.
COLUMNS = ("frame",)
#: What holds images.
PIXELS = ("array", "memory-map", "list", "npy")
#: What the command reads.
FILES = ("npy", "csv", "headerless csv", "sheet", "parquet", "parquet lists", "subjects")
#: Which hostile records a source can hold.
HOLDS = {
    "array": ("nan", "huge"),
    "list": ("none", "text", "nan", "huge", "short"),
    "object array": ("none", "text", "nan", "huge", "short"),
    "frame": ("none", "text", "nan", "huge"),
    "memory-map": ("nan", "huge"),
    "dask": ("nan", "huge"),
    "npy": ("nan", "huge"),
    "csv": ("none", "text", "nan", "huge", "short"),
    "headerless csv": ("none", "text", "nan", "huge", "short"),
    "sheet": ("none", "text", "nan", "huge", "short"),
    "parquet": ("none", "nan", "huge"),
    "parquet lists": ("none", "nan", "huge", "short"),
    "subjects": ("none", "text", "nan", "huge", "short"),
}

FACTORS = (
    Factor(
        "space",
        (
            *("sphere:2", "sphere:3", "hyperbolic:2", "spd:2", "spd:2:log-euclidean"),
            *("euclidean:1", "euclidean:3", "rotations", "correlation:3", "planar-shapes:4"),
            *("size-and-shape:4:3", "shapes:4:3", "axes:2", "grassmannian:2:4"),
            *("product:rotations+euclidean:2*0.25", "product:spd:2+sphere:2"),
            *("functions:8 around", "functions:8 along", "curves off the grid"),
            "distributions:-3:3:8",
            "descriptors:8x8x1",
        ),
    ),
    Factor(
        "statistic",
        (
            *("mean", "tangent-mean", "extrinsic-mean", "moments", "regression", "map-mean"),
            *("leading-mean", "summary", "normative-region", "normative-chart"),
            *("classes", "classes by class"),
        ),
    ),
    Factor(
        "reading",
        (
            *("points", "unit-vectors", "dec-inc", "lat-lon", "compositions", "counts", "scaled"),
            "signals",
        ),
    ),
    Factor("stages", ("none", "find-ball", "ball alone", "tau", "over time")),
    Factor("clipped", ("not asked", "asked")),
    Factor("prior", ("a ball", "whole", "whole, far away")),
    Factor("denoiser", ("left out", "none", "smooth", "form", "alike")),
    Factor("groups", ("none", "public", "private")),
    Factor("unit", ("record", "person", "person in two groups", "person with limit")),
    Factor("sites", ("none", "a consortium")),
    Factor("source", tuple(HOLDS)),
    Factor("hostile", ("none", "text", "nan", "huge", "short")),
    Factor("policy", ("refuse", "public")),
    Factor("budget", ("pure", "approximate", "gdp", "zcdp")),
    Factor("amount", ("small", "large")),
)


def in_ball(space: str) -> bool:
    """Tell whether records are points of a space, in a ball."""
    return not is_curves(space) and not is_images(space)


def is_curves(space: str) -> bool:
    """Tell whether records are sampled functions."""
    return space.startswith(("functions:", "curves", "distributions:"))


def is_images(space: str) -> bool:
    """Tell whether records are images, read as descriptors."""
    return space.startswith("descriptors:")


@cache
def space_of(spec: str) -> Space:
    """Return the space of a spec."""
    return space_from_spec(spec)


def _in_rows(source: str, space: str) -> bool:
    if source not in COLUMNS or is_curves(space):
        return space != "curves off the grid" or source in ("list", "object array")
    return not is_images(space) and len(space_of(space).record_shape.shape) == 1


def _meant(space: str, reading: str) -> bool:
    if reading == "scaled":
        return space.startswith(("euclidean", "spd"))
    if reading == "signals":
        return space.startswith("spd")
    angles = reading in ("dec-inc", "lat-lon")
    return reading == "points" or space == "sphere:2" or (space == "sphere:3" and not angles)


def _asked(space: str, statistic: str) -> bool:
    if space.startswith("distributions:"):
        return statistic == "mean"
    if is_curves(space):
        return statistic in ("mean", "moments", "regression")
    if is_images(space):
        return statistic in ("mean", "tangent-mean")
    if statistic == "extrinsic-mean":
        return space_of(space).embedding is not None
    if statistic == "map-mean":
        return space.startswith(("euclidean", "correlation")) or space.endswith("log-euclidean")
    return statistic not in ("mean", "summary") or not space_of(space).chart_only


def _found(stages: str, space: str) -> bool:
    if stages in ("none", "over time"):
        return True
    return is_curves(space) if stages == "tau" else in_ball(space)


def _whole(prior: str, space: str) -> bool:
    return prior == "a ball" or (in_ball(space) and space_of(space).farthest < float("inf"))


def _assumed(denoiser: str, space: str) -> bool:
    if denoiser == "left out":
        return True
    return space.startswith("planar-shapes") if denoiser == "smooth" else in_ball(space)


def _alone(factor: str, *values: str) -> Rule:
    """Let a summary meet these values of a factor only."""
    return Rule(
        "a summary is one computed point",
        ("statistic", factor),
        lambda statistic, value: statistic != "summary" or value in values,
    )


RULES = (
    Rule("what is asked of which records", ("space", "statistic"), _asked),
    Rule("what a raw record may mean", ("space", "reading"), _meant),
    Rule(
        "a map has no signals",
        ("statistic", "reading"),
        lambda statistic, reading: statistic != "map-mean" or reading != "signals",
    ),
    Rule("what is found of which records", ("stages", "space"), _found),
    Rule(
        "what is found for which question",
        ("stages", "statistic"),
        lambda stages, statistic: (
            stages in ("none", "over time")
            or (
                statistic == "tangent-mean"
                if stages == "ball alone"
                else statistic not in ("map-mean", "extrinsic-mean")
            )
        ),
    ),
    Rule(
        "what has stages of its own",
        ("statistic", "stages"),
        lambda statistic, stages: not statistic.startswith("normative") or stages == "none",
    ),
    Rule(
        "a region is not planned by group",
        ("statistic", "groups"),
        lambda statistic, groups: not statistic.startswith("normative") or groups == "none",
    ),
    Rule(
        "classes are groups with private labels already",
        ("statistic", "groups"),
        lambda statistic, groups: not statistic.startswith("classes") or groups == "none",
    ),
    Rule(
        "stages are not planned by group",
        ("stages", "groups"),
        lambda stages, groups: "none" in (stages, groups),
    ),
    Rule("what may be assumed of means of which records", ("denoiser", "space"), _assumed),
    Rule(
        "a form holds at its own centre",
        ("denoiser", "stages"),
        lambda denoiser, stages: denoiser != "form" or stages == "none",
    ),
    Rule(
        "of what it is known what clipping does",
        ("clipped", "statistic"),
        lambda clipped, statistic: (
            clipped == "not asked"
            or statistic in ("mean", "tangent-mean", "leading-mean", "moments")
        ),
    ),
    Rule(
        "of which records it is known what clipping does",
        ("clipped", "space"),
        lambda clipped, space: clipped == "not asked" or not space.startswith("distributions"),
    ),
    Rule(
        "clipped records are counted of all records",
        ("clipped", "groups"),
        lambda clipped, groups: clipped == "not asked" or groups == "none",
    ),
    Rule(
        "clipped records are counted for an answer",
        ("clipped", "stages"),
        lambda clipped, stages: (
            clipped == "not asked" or (stages not in ("ball alone", "over time"))
        ),
    ),
    Rule(
        "periods stand in a column",
        ("stages", "source"),
        lambda stages, source: stages != "over time" or source != "subjects",
    ),
    Rule("a whole space is a prior where it is compact", ("prior", "space"), _whole),
    Rule(
        "a prior is what a ball is found in",
        ("prior", "stages"),
        lambda prior, stages: prior == "a ball" or "ball" in stages,
    ),
    Rule(
        "a form belongs to a centre that is known",
        ("statistic", "prior"),
        lambda statistic, prior: statistic != "leading-mean" or prior == "a ball",
    ),
    Rule(
        "a whole space has no denoiser of its own",
        ("denoiser", "prior"),
        lambda denoiser, prior: denoiser == "left out" or prior == "a ball",
    ),
    Rule(
        "what has no rule or one of its own takes no form",
        ("denoiser", "statistic"),
        lambda denoiser, statistic: (
            denoiser == "left out"
            or statistic not in ("map-mean", "extrinsic-mean")
            or (denoiser, statistic) == ("alike", "map-mean")
        ),
    ),
    Rule(
        "readings put records about a centre of their own",
        ("prior", "reading"),
        lambda prior, reading: prior == "a ball" or reading in ("points", "unit-vectors"),
    ),
    Rule(
        "two groups are groups",
        ("unit", "groups"),
        lambda unit, groups: "groups" not in unit or groups != "none",
    ),
    Rule("what has rows of numbers", ("source", "space"), _in_rows),
    Rule(
        "a map is no row",
        ("source", "statistic"),
        lambda source, statistic: source not in COLUMNS or statistic != "map-mean",
    ),
    Rule(
        "what a source can hold",
        ("source", "hostile"),
        lambda source, hostile: hostile in HOLDS[source],
    ),
    Rule(
        "images are arrays of pixels",
        ("source", "space"),
        lambda source, space: not is_images(space) or source in PIXELS,
    ),
    Rule(
        "sites open one sum, or one a stage",
        ("sites", "stages"),
        lambda sites, stages: sites == "none" or stages in ("none", "find-ball"),
    ),
    Rule(
        "sites open sums",
        ("sites", "statistic"),
        lambda sites, statistic: (
            sites == "none" or not statistic.startswith(("normative", "summary"))
        ),
    ),
    Rule(
        "sites plan each group by itself",
        ("sites", "groups"),
        lambda sites, groups: sites == "none" or groups != "public",
    ),
    _alone("unit", "record"),
    _alone("denoiser", "left out"),
    _alone("groups", "none"),
    _alone("reading", "points"),
    _alone("stages", "none"),
    _alone("policy", "refuse"),
    _alone("hostile", "nan"),
    _alone("source", "array", "npy", "csv", "headerless csv"),
)

TABLE = Table(FACTORS, RULES)


def line_of(case: Case) -> str:
    """Return the values of a case in one line, which :func:`case_of` reads."""
    return "; ".join(f"{name}={value}" for name, value in case.items())


def case_of(line: str) -> dict[str, str]:
    """Read a case from its line; what it does not say is the first of its factor.

    >>> found = case_of("space=sphere:2; policy=public")
    >>> found["policy"], found["denoiser"]
    ('public', 'left out')
    """
    said = dict(part.strip().split("=", 1) for part in line.split(";"))
    return {factor.name: factor.values[0] for factor in FACTORS} | said
