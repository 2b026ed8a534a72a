"""From what was typed to a ball, a reading, a statistic, and numbers of records."""

import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError, reason_of, way_out_of_unit
from geomdp.options import Given, Option, OptionError

if TYPE_CHECKING:
    from geomdp.ledger import Ledger
    from geomdp.readings import Reading
    from geomdp.readings.names import Names
    from geomdp.spaces import Ball, Space
    from geomdp.statistics import Statistic
    from geomdp.typing import Array


class Typed(Given):
    """What a person typed."""

    @cached_property
    def reading(self) -> "Reading | None":
        """The reading that was asked for; None where records are points."""
        from geomdp.readings import READINGS

        kinds = READINGS.values()
        asked = [one for one in (kind.asked(self) for kind in kinds) if one is not None]
        if len(asked) > 1:
            names = [one.options[0].name for one in asked]
            raise OptionError(f"give one of {', '.join(names[:-1])} and {names[-1]}")
        return asked[0] if asked else None

    def ball(self) -> "Ball":
        """Return the public ball, with what was typed of its denoiser."""
        from geomdp.spaces.options import DENOISER

        found = self._bare_ball()
        return self._denoised(found) if any(map(self.said, DENOISER)) else found

    def _denoised(self, ball: "Ball") -> "Ball":
        """Return a ball with what the denoiser of its means may assume."""
        from geomdp.spaces.denoiser import NOTHING, SMOOTH, Denoiser

        form: Any = self["denoise"]
        if form not in (None, SMOOTH, NOTHING):
            form = form_of(ball.space, ball.center, form, power=1.0)
        return replace(ball, denoiser=Denoiser(form, self["alike"]), wide=True)

    def _bare_ball(self) -> "Ball":
        """Return the public ball: of a file, known by the reading, or typed."""
        from geomdp.spaces import Ball
        from geomdp.spaces.options import BALL, BALL_FILE
        from geomdp.spaces.specs import space_from_spec

        if self.said(BALL_FILE):
            self.refuse(BALL, (BALL_FILE,), "--ball")
            return read_ball(self["ball"])
        spec, center, radius = (self[key] for key in ("space", "center", "radius"))
        known = None if self.reading is None else self.reading.known_ball
        if known is not None:
            if (center, radius) != (None, None):
                raise OptionError(
                    f"records of {spec} have a known ball: leave out --center, --radius and all "
                    "that says what other records are"
                )
            return known
        wide = bool(self.get("find_ball")) or self._anywhere
        nowhere = wide and (center, radius) == (None, None)
        if spec is None or not (nowhere or (center is not None and radius is not None)):
            raise OptionError("a plan needs --space, --center and --radius (or --template)")
        where = space_from_spec(spec, self)
        if nowhere:
            return Ball.whole(where)
        return Ball(where, center=self.point(where, center), radius=radius, wide=wide)

    @property
    def _anywhere(self) -> bool:
        """Whether what is asked needs no ball."""
        from geomdp.statistics import STATISTICS

        kind = STATISTICS.get(self.get("statistic", ""))
        return kind is not None and kind.anywhere

    def point(self, space: "Space", text: str) -> Any:
        """Read a public point: ``identity``, ``origin``, or, as records are, numbers or a file."""
        import numpy as np

        from geomdp.io import Choices, read_records
        from geomdp.io.shapes import as_records
        from geomdp.statistics import Summary

        if text == "identity" and not space.has_identity:
            raise GeomdpError(f"{space.spec} has no identity; write --center origin, or a point.")
        if text in ("identity", "origin"):
            return space.origin(np.zeros(space.dim))
        reading = self.reading if self.reading is None or self.reading.gives_back else None
        choices = Choices(reading=reading, triangle="lower")  # as the help says
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            _require_no_unit(text)
            point = read_records(text, Summary(space, 1.0), choices).points
            return point if reading is None else _read(space, point, reading, text)
        shape = choices.raw_shape(space.record_shape)
        point = as_records(np.array([numbers]), shape, "lower", "--center")[0]
        if reading is not None:
            return _read(space, point, reading, "--center")
        # A typed direction or quaternion need not be normalised by hand.
        return space.canonical(point) if space.by_direction and np.any(point) else point

    def mask(self, text: str) -> Any:
        """Read the places of voxels from a NIfTI mask."""
        from geomdp.io.nifti_files import read_mask

        if not Path(text).is_file():
            raise GeomdpError(
                f"There is no mask {text!r}; give a NIfTI file, or a number of voxels."
            )
        return read_mask(Path(text))

    def statistic(self) -> "Statistic":
        """Return what is asked: of curves, surfaces or maps, or in a ball.

        Raises ``OptionError`` if an option was typed that says nothing about it.
        """
        from geomdp.spaces.options import BALL, DENOISER
        from geomdp.statistics import STATISTICS
        from geomdp.statistics.asking import SUBJECTS

        subject = next((one for one in SUBJECTS.values() if one.concerns(self)), None)
        if subject is not None:
            self.refuse_others(subject.options, subject.typed, subject.reads)
            return subject.asked(self)
        kind = STATISTICS.get(self.tag)
        options = () if kind is None else kind.options
        self.refuse_others((*BALL, *DENOISER, *options), "a mean in a ball", reads=True)
        ball = self.ball()  # of two names that are not known, the space's is told first
        return STATISTICS.named(self.tag).asked(ball, self)

    @property
    def tag(self) -> str:
        """Tag of what is asked: typed, or told by an option that says as much."""
        from geomdp.statistics import STATISTICS

        told = (tag for tag, one in STATISTICS.items() if one.asked_by and self.said(one.asked_by))
        return next(told, self["statistic"])

    def refuse_others(self, used: tuple[Option, ...], what: str, reads: bool) -> None:
        """Refuse options that something declares which is not asked for."""
        from geomdp.readings import READINGS
        from geomdp.spaces.options import BALL, DENOISER
        from geomdp.spaces.specs import SPACES, space_options
        from geomdp.statistics import STATISTICS
        from geomdp.statistics.asking import SUBJECTS

        family = (self["space"] or "").partition(":")[0]
        of_space = space_options(family) if family in SPACES else ()
        of_reading = self.reading.options if reads and self.reading is not None else ()
        things: list[Any] = [*READINGS.values(), *STATISTICS.values(), *SUBJECTS.values()]
        every = [*BALL, *DENOISER, *(option for thing in things for option in thing.options)]
        every += [option for name in SPACES for option in space_options(name)]
        self.refuse(every, (*used, *of_space, *of_reading), what)

    def ledger(self) -> "Ledger | None":
        """Open the ledger that was named; None where none was."""
        if self["ledger"] is None:
            return None
        from geomdp.ledger import Ledger

        return Ledger(self["ledger"], self["key"])

    def counts(self, whom: str = "records") -> Any:
        """Return the public number of records, or the sizes of the groups."""
        n, groups = self["n"], self["group"]
        if groups and n is not None:
            raise OptionError("give --n or the sizes of the groups, not both")
        if groups:
            return _sizes(groups)
        if n is None:
            raise OptionError(f"a plan needs --n, the public number of {whom}")
        return n


def _sizes(groups: list[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for text in groups:
        label, _, size = text.rpartition("=")
        if not label or not size.isdecimal() or label in sizes:
            raise OptionError(f"--group {text!r} is not LABEL=SIZE with a label of its own")
        sizes[label] = int(size)
    if len(sizes) < 2:
        raise OptionError("one group alone needs no --group; give --n")
    return sizes


def _require_no_unit(text: str) -> None:
    """Refuse a typed point with percent signs or units, which is no file."""
    wrong = next(filter(None, map(way_out_of_unit, text.split(","))), None)
    if wrong is not None and not Path(text).exists():
        raise GeomdpError(f"--center {text!r} is neither a file nor numbers; {wrong}.")


def _read(space: "Space", point: Any, reading: "Reading", where: str) -> Any:
    """Read one public point as records are read."""
    reading.require(space)
    wrong = reading.judge(point[None])
    if wrong:
        raise GeomdpError(f"{where} is no centre: {wrong[0]}.")
    return reading.points(point[None])[0]


def read_ball(file: Path) -> "Ball":
    """Read a ball from the file that ``geomdp ball`` wrote, or from a release's folder."""
    from geomdp.io.documents import read_json
    from geomdp.plans import ball_of, load_release
    from geomdp.spaces import Ball

    if file.is_dir():
        return ball_of(load_release(file))
    try:
        return Ball.from_json(read_json(file))
    except OSError as error:
        raise GeomdpError(f"The ball {str(file)!r} cannot be read: {error.strerror}.") from error
    except GeomdpError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise GeomdpError(f"{str(file)!r} is no ball; make one with: geomdp ball --out.") from error


def read_names(text: str | None, links: str | None = None) -> "Names":
    """Read names with commas between them, or a text file with one name a line; and links."""
    from geomdp.readings.names import Names

    names = () if text is None else _words(text, "names", ",")
    return Names((name.strip() for name in names if name.strip()), _links(links))


def _words(text: str, what: str, mark: str) -> list[str]:
    """Return the lines of a file, or what is typed with marks between it."""
    if not Path(text).is_file():
        return text.split(mark)
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise GeomdpError(f"The {what} in {text!r} cannot be read: {reason_of(error)}.") from error
    return [line for line in lines if line.strip()]


def _links(text: str | None) -> list[list[int]]:
    """Read pairs of landmarks, which people count from 1."""
    pairs = []
    for words in [] if text is None else _words(text, "links", ","):
        pair = re.fullmatch(r"\s*(\d{1,6})[\s,;:-]+(\d{1,6})\s*", words)
        if pair is None:
            raise GeomdpError(
                f"{words.strip()[:40]!r} is no link of two landmarks; write 1-2,2-3, or a file "
                "with two numbers a line."
            )
        pairs.append([int(pair[1]) - 1, int(pair[2]) - 1])
    return pairs


def form_of(space: "Space", center: "Array", text: str, power: float = 0.5) -> "Array":
    """Read a covariance, or take smoothness along the outline or over a mesh."""
    from geomdp.io.shapes import read_matrix
    from geomdp.spaces.forms import form_at, smooth_form
    from geomdp.surfaces.mesh.meshio import READABLE, read_surface

    if text == "smooth":
        return smooth_form(space, center)
    if Path(text).suffix.lower() in READABLE:
        return smooth_form(space, center, faces=read_surface(text).faces)

    return form_at(space, center, read_matrix(text), power)
