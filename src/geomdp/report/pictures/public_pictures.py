"""The public centre as a picture and in numbers, and what records at the edge of the ball are."""

from typing import Any

import numpy as np

from geomdp.readings import Reading
from geomdp.readings.base import as_written
from geomdp.report.naming import Subject, subject_in, subject_of
from geomdp.report.numbers import center_table
from geomdp.report.pictures.by_space import multiples
from geomdp.report.pictures.scene import Scene, sphere_about
from geomdp.report.rendering import Captioned, part
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: Records at the edge that are drawn.
EDGES = 3


def public_pictures(
    statistic: Statistic, reading: Reading | None = None, names: tuple[str, ...] = ()
) -> list[Any]:
    """Draw the centre, and records at the edge of the ball: as different as records may be."""
    if statistic.public_radius is None:
        return []
    subject, center = where_records_are_drawn(statistic, reading)
    points = {"centre": center}
    points |= {f"edge{i + 1}": edge for i, edge in enumerate(edge_records(statistic))}
    captions = {
        name: "The public centre" if name == "centre" else f"A record at the edge ({name[4:]})"
        for name in points
    }
    ball = statistic.public_ball
    scenes = {
        name: Scene(point, point[None], ball=ball, names=names) for name, point in points.items()
    }
    pictures = multiples(subject, scenes, captions)
    return [
        part("heading", "The centre, and records at the edge of the ball"),
        Captioned([(captions[name], pictures[name]) for name in points]),
        "" if statistic.everywhere else center_table(as_written(center, reading)),
    ]


def where_records_are_drawn(
    statistic: Statistic, reading: Reading | None = None
) -> tuple[Subject, Array]:
    """Return what a picture of a record is of, and the public record."""
    ball = statistic.public_ball
    if ball is None or statistic.drawn_as is not statistic:
        return subject_of(statistic.drawn_as), np.asarray(statistic.public_record)
    return subject_in(ball.space, reading), np.asarray(statistic.public_record)


def edge_records(statistic: Statistic) -> list[Array]:
    """Return records at the public radius, in a few directions; none where they are not known."""
    return [np.asarray(edge) for edge in statistic.edge_records(sphere_about, EDGES)]
