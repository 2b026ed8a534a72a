"""From the texts of the command line to a statistic, a budget, groups and persons."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from geomdp.cli.readings import DESCRIPTORS
from geomdp.errors import GeomdpError, reason_of

if TYPE_CHECKING:
    from geomdp.privacy import Budget, Labels, Unit
    from geomdp.readings import Reading
    from geomdp.spaces import Ball, Space
    from geomdp.statistics import Statistic

#: What is asked where nothing is said.
MEAN = "frechet-mean"
#: Spaces whose origin is called the identity.
WITH_IDENTITY = ("spd:", "correlation:", "rotations")


def make_statistic(
    tag: str,
    space: str | None,
    center: str | None,
    radius: float | None,
    reading: "Reading | None" = None,
    find_ball: bool = False,
    covariates: Sequence[str] = (),
) -> "Statistic":
    """Build the statistic: a mean or regression in a ball.

    Examples
    --------
    >>> make_statistic("frechet-mean", "sphere:2", "0,0,1", 0.5).describe()
    'Fréchet mean on sphere:2, ball of radius 0.5'
    """
    if covariates and tag != "regression":
        raise typer.BadParameter("--covariate goes with --statistic regression in a ball")
    if space is not None and space.startswith(DESCRIPTORS):
        return _mean_descriptor(tag, reading, (center, radius))
    nowhere = find_ball and (center, radius) == (None, None)
    if space is None or not (nowhere or (center is not None and radius is not None)):
        raise typer.BadParameter("a plan needs --space, --center and --radius (or --template)")
    from geomdp.spaces import Ball
    from geomdp.spaces.specs import space_from_spec

    where = space_from_spec(space)
    if center is None or radius is None:
        ball = Ball.whole(where)
    else:
        public = read_center(where, center, reading)
        ball = Ball(where, center=public, radius=radius, wide=find_ball)
    return _asked_in(tag, ball, covariates)


def statistic_in(
    tag: str, file: Path, others: Sequence[object], covariates: Sequence[str] = ()
) -> "Statistic":
    """Build the statistic in a ball that was written down, or that a release found."""
    if any(other is not None for other in others):
        raise typer.BadParameter("--ball goes without --space, --center, --radius and --template")
    return _asked_in(tag, read_ball(file), covariates)


def _asked_in(tag: str, ball: "Ball", covariates: Sequence[str]) -> "Statistic":
    from geomdp.statistics import STATISTICS

    if covariates and tag != "regression":
        raise typer.BadParameter("--covariate goes with --statistic regression in a ball")
    if covariates:
        from geomdp.statistics.regression import Regression

        return Regression(ball, read_covariates(covariates))
    return STATISTICS.named(tag).in_ball(ball)


def asked_of_curves(mean: Any, tag: str, covariates: Sequence[str]) -> "Statistic":
    """Return what is asked of curves or surfaces: the mean, their moments or their regression.

    Examples
    --------
    >>> import numpy as np
    >>> from geomdp.curves import FunctionMean, Matern
    >>> mean = FunctionMean(np.zeros(9), 1.0, Matern(0.5))
    >>> asked_of_curves(mean, "regression", ["age=20:90"]).covariate_names
    ('age',)
    >>> asked_of_curves(mean, "moments", ()).tag
    'function-moments'
    """
    from geomdp.curves import FunctionMean, FunctionMoments, FunctionRegression

    if (tag == "regression") is not bool(covariates):
        raise typer.BadParameter("--statistic regression and --covariate go together")
    if tag == MEAN:
        return cast("Statistic", mean)
    if tag == "regression":
        return FunctionRegression(mean, read_covariates(covariates))
    if tag == "moments" and isinstance(mean, FunctionMean):
        return FunctionMoments(mean)
    raise typer.BadParameter(
        f"--statistic {tag} is not for them: curves and surfaces take regression, curves also "
        "moments; leave it out for their mean"
    )


def as_map(asked: "Statistic", voxels: str | None, bound: float | None) -> "Statistic":
    """Return the mean map of a mean in one voxel's ball; the mean itself where no map is asked.

    Examples
    --------
    >>> one = make_statistic("frechet-mean", "euclidean:1", "0", 1.0)
    >>> as_map(one, "40", None).voxels
    40
    """
    if voxels is None:
        if bound is not None:
            raise typer.BadParameter("--map-bound goes with --voxels")
        return asked
    from geomdp.statistics import FrechetMean, MapMean, TangentMean

    if not isinstance(asked, FrechetMean | TangentMean):
        raise typer.BadParameter("--voxels goes with a mean in a ball: no other --statistic")
    if voxels.isdecimal():
        return MapMean(asked.ball, int(voxels), bound)
    from geomdp.io.nifti_files import read_mask

    file = Path(voxels)
    if not file.is_file():
        raise GeomdpError(f"There is no mask {voxels!r}; give a NIfTI file, or a number of voxels.")
    grid = read_mask(file)
    return MapMean(asked.ball, grid.count, bound, grid)


def read_ball(file: Path) -> "Ball":
    """Read a ball from the file that ``geomdp ball`` wrote, or from a release's folder."""
    from geomdp.io.documents import read_json
    from geomdp.plans import ball_of, load_release
    from geomdp.spaces import Ball

    if file.is_dir():
        return ball_of(load_release(file))
    try:
        document = read_json(file)
        return Ball.from_json(document)
    except OSError as error:
        raise GeomdpError(f"The ball {str(file)!r} cannot be read: {error.strerror}.") from error
    except GeomdpError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise GeomdpError(f"{str(file)!r} is no ball; make one with: geomdp ball --out.") from error


def read_center(space: "Space", text: str, reading: "Reading | None" = None) -> Any:
    """Read a public point: ``identity``, ``origin``, or, as records are, numbers or a file.

    Examples
    --------
    >>> from geomdp import SPD, Sphere
    >>> read_center(SPD(2), "identity").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> read_center(Sphere(2), "0,0,1").tolist()
    [0.0, 0.0, 1.0]
    >>> from geomdp.readings import Compositions
    >>> read_center(Sphere(1), "0.36,0.64", Compositions()).tolist()
    [0.6, 0.8]
    """
    import numpy as np

    from geomdp.io import Choices, read_records
    from geomdp.io.shapes import as_records
    from geomdp.spaces import Rotations, Sphere
    from geomdp.statistics import Summary

    if text == "identity":
        if not space.spec.startswith(WITH_IDENTITY):
            raise GeomdpError(f"{space.spec} has no identity; write --center origin, or a point.")
        return space.origin(np.zeros(space.dim))
    if text == "origin":
        return space.origin(np.zeros(space.dim))
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        choices = Choices(reading=reading)
        point = read_records(text, Summary(space, 1.0), choices).points
        return point if reading is None else _read_point(space, point, reading, text)
    shape = Choices(reading=reading).raw_shape(space.record_shape)
    point = as_records(np.array([numbers]), shape, "lower", "--center")[0]
    if reading is not None:
        return _read_point(space, point, reading, "--center")
    # A typed direction or quaternion need not be normalised by hand.
    unit = isinstance(space, Sphere | Rotations) and np.any(point)
    return space.canonical(point) if unit else point


def read_names(text: str | None) -> tuple[str, ...]:
    """Read names with commas between them, or a text file with one name a line.

    Examples
    --------
    >>> read_names("sand, silt, clay")
    ('sand', 'silt', 'clay')
    """
    if text is None:
        return ()
    if not Path(text).is_file():
        return tuple(name.strip() for name in text.split(","))
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GeomdpError(f"The names in {text!r} cannot be read: {reason_of(error)}.") from error
    return tuple(line.strip() for line in lines if line.strip())


def read_covariates(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``age=20:90`` as a range and ``sex=f,m`` as levels.

    Examples
    --------
    >>> read_covariates(["age=20:90", "sex=f,m"])
    {'age': (20.0, 90.0), 'sex': ('f', 'm')}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, _, declared = text.rpartition("=")
        if not name.strip() or not declared.strip() or name.strip() in found:
            raise typer.BadParameter(
                f"--covariate {text!r} is not NAME=LOW:HIGH or NAME=LEVEL,LEVEL with a name of its "
                "own"
            )
        found[name.strip()] = _range_or_levels(declared)
    return found


def _range_or_levels(text: str) -> "tuple[float, float] | tuple[str, ...]":
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        return tuple(part.strip() for part in text.split(","))


def _read_point(space: "Space", point: Any, reading: "Reading", where: str) -> Any:
    """Read one public point as records are read."""
    reading.require(space)
    wrong = reading.judge(point[None])
    if wrong:
        raise GeomdpError(f"{where} is no centre: {wrong[0]}.")
    return reading.points(point[None])[0]


def make_budget(
    epsilon: str | None, delta: str | None, mu: str | None, rho: str | None
) -> "Budget":
    """Build the one budget that was given.

    Examples
    --------
    >>> make_budget("1", "1e-6", None, None)
    Approximate(epsilon=1, delta=0.000001)
    """
    from geomdp.privacy import GDP, ZCDP, Approximate, Pure

    given = [name for name, text in (("e", epsilon), ("m", mu), ("r", rho)) if text is not None]
    if len(given) != 1 or (delta is not None and epsilon is None):
        raise typer.BadParameter(
            "give one budget: --epsilon, --epsilon with --delta, --mu, --rho, or --error"
        )
    if epsilon is not None:
        return Pure(epsilon) if delta is None else Approximate(epsilon, delta)
    return GDP(mu) if mu is not None else ZCDP(rho or "")


def budget_kind(kind: str, delta: str | None) -> Callable[[Any], "Budget"]:
    """Return what makes a budget from one number.

    Examples
    --------
    >>> budget_kind("gdp", None)("0.5")
    GDP(mu=0.5)
    """
    from geomdp.privacy import GDP, ZCDP, Approximate, Pure

    if delta is None:
        kinds: dict[str, Callable[[Any], Budget]] = {"pure": Pure, "gdp": GDP, "zcdp": ZCDP}
        return kinds[kind]
    if kind != "pure":
        raise typer.BadParameter("--delta goes with --kind pure: approximate privacy")
    return lambda epsilon: Approximate(epsilon, delta)


def make_counts(
    n: int | None,
    groups: Sequence[str],
    private_labels: bool,
    max_per_person: int,
    protected: str = "record",
    groups_per_person: int = 1,
) -> tuple["int | dict[str, int]", "Unit | None"]:
    """Return the number of records, or the sizes of groups, and who is protected.

    Examples
    --------
    >>> make_counts(None, ["control=300", "patient=200"], False, 1)
    ({'control': 300, 'patient': 200}, None)
    >>> make_counts(100, [], False, 3)[1].neighbours()
    'all records of one person, at most 3, are replaced'
    """
    from geomdp.privacy import Unit

    if groups and n is not None:
        raise typer.BadParameter("give --n or the sizes of the groups, not both")
    if groups_per_person > 1 and not (groups and protected == "person" and max_per_person == 1):
        raise typer.BadParameter("--groups-per-person goes with --unit person and --group")
    if private_labels and not groups:
        raise typer.BadParameter("--private-labels needs the groups: --group LABEL=SIZE")
    labels: Labels = "none" if not groups else "private" if private_labels else "public"
    unit = None
    if protected == "person" and max_per_person == 1:
        unit = Unit.person(groups=groups_per_person, labels=labels)
    elif max_per_person > 1:
        unit = Unit.person(max_records=max_per_person, labels=labels)
    elif private_labels:
        unit = Unit.record(labels=labels)
    if groups:
        return _sizes(groups), unit
    if n is None:
        whom = "records" if unit is None else unit.plural
        raise typer.BadParameter(f"a plan needs --n, the public number of {whom}")
    return n, unit


def _sizes(groups: Sequence[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for text in groups:
        label, _, size = text.rpartition("=")
        if not label or not size.isdecimal() or label in sizes:
            raise typer.BadParameter(f"--group {text!r} is not LABEL=SIZE with a label of its own")
        sizes[label] = int(size)
    if len(sizes) < 2:
        raise typer.BadParameter("one group alone needs no --group; give --n")
    return sizes


def _mean_descriptor(tag: str, reading: "Reading | None", others: Sequence[object]) -> "Statistic":
    """Build the mean of images' descriptors, in the ball that holds every one of them."""
    from geomdp.images import Descriptors, descriptor_ball
    from geomdp.statistics import STATISTICS

    if any(other is not None for other in others) or not isinstance(reading, Descriptors):
        raise typer.BadParameter(
            "descriptors of images have a known ball: leave out --center, --radius and all that "
            "says what other records are"
        )
    ball = descriptor_ball(reading.channels, (reading.height, reading.width), reading.eta)
    return STATISTICS.named(tag).in_ball(ball)
