"""The public ball, as options: what all that is asked in a ball shares."""

from pathlib import Path

from geomdp.options import PEOPLE, PUBLIC, Option, read_number

#: Its help names what there is, see :func:`geomdp.cli.asking.plan_options`.
SPACE = Option("--space", "Where records live: {spaces}.", panel=PUBLIC, metavar="SPEC")
CENTER = Option(
    "--center",
    "Public centre of the ball: identity, origin, numbers such as 0,0,1 (on a sphere, any vector "
    "of that direction; of a matrix all, or the lower triangle xx, yx, yy, ...), or a file. With "
    "--template: where disk maps begin (most-protruding; middle for surfaces without a nose).",
    panel=PUBLIC,
    metavar="POINT",
    examples=("identity", "origin"),
)
RADIUS = Option(
    "--radius",
    "Public radius; records farther out are clipped. Never take it from the data.",
    panel=PUBLIC,
    metavar="FLOAT",
    read=read_number,
)
BALL_FILE = Option(
    "--ball",
    "The ball that geomdp ball wrote, in place of --space, --center and --radius; or the folder of "
    "a release that found one privately.",
    panel=PUBLIC,
    metavar="FILE",
    type=Path,
)
#: What says which ball it is.
BALL = (SPACE, CENTER, RADIUS, BALL_FILE)
DENOISE = Option(
    "--denoise",
    "What the denoiser of the mean may assume, declared beforehand; the ball and the noise stay: "
    "smooth (along an outline), a mesh (ply, obj, ...) over which means vary smoothly, a file with "
    "a published covariance, or none. Left out: what is proved to lose error.",
    panel=PUBLIC,
    metavar="FORM",
    examples=("smooth", "none"),
)
ALIKE = Option(
    "--alike",
    "Groups are alike: each denoised mean is moved towards what all have in common.",
    panel=PEOPLE,
    type=bool,
    default=False,
)
#: What says how means in a ball are denoised.
DENOISER = (DENOISE, ALIKE)
