"""Reads drawn charts back into numbers: what is on the page, not what was meant to be there."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np


@dataclass(frozen=True)
class Line:
    """A drawn line in the units of its axes, with its style."""

    style: str
    points: np.ndarray

    def has(self, ink):
        return f"stroke: var(--{ink})" in self.style

    @property
    def dashes(self):
        found = re.search(r"stroke-dasharray: ([^;]*)", self.style)
        return found[1] if found else ""


class Chart:
    """One chart of a page, found by what its label says."""

    def __init__(self, page, label, *, log=False):
        start = page.index(f'<svg role="img" aria-label="{label}"')
        text = page[start : page.index("</svg>", start) + 6].replace("xlink:href", "href")
        self.root = ElementTree.fromstring(text)
        self.log = log
        self.axes = next(g for g in self._groups() if _name(g).startswith("axes_"))
        self.ticks = {axis: self._ticks(axis) for axis in "xy"}

    def _groups(self):
        return [g for g in self.root.iter("g") if g.get("id")]

    def _ticks(self, axis):
        """Labels of the ticks by their place on the paper."""
        found = {}
        for group in self.axes.iter("g"):
            label = "".join(group.itertext()).strip().replace("\u2212", "-")
            if _name(group).startswith(f"{axis}tick") and label:
                found[float(next(group.iter("use")).get(axis))] = _number(label)
        return found

    def data(self, at, axis):
        """Turn places on the paper into numbers, by the labels of the ticks."""
        places = np.array(sorted(self.ticks[axis]))
        values = np.array([self.ticks[axis][place] for place in places])
        values = np.log(values) if self.log else values
        slope, offset = np.polyfit(places, values, 1)
        found = slope * np.asarray(at) + offset
        return np.exp(found) if self.log else found

    def points(self, path):
        """Corners of a path in the units of the axes."""
        pairs = re.findall(r"[ML] (-?[\d.e-]+) (-?[\d.e-]+)", path.get("d"))
        paper = np.array(pairs, dtype=float)
        return np.stack([self.data(paper[:, 0], "x"), self.data(paper[:, 1], "y")], axis=1)

    @property
    def lines(self):
        """Lines inside the axes, in the order in which they were drawn."""
        kept = [g for g in self.axes if _name(g).startswith("line2d")]
        paths = [path for g in kept for path in g.findall("path")]
        return [Line(path.get("style"), self.points(path)) for path in paths]

    @property
    def marks(self):
        """Places of the markers of each line, in the units of the axes."""
        kept = [g for g in self.axes if _name(g).startswith("line2d")]
        uses = [[(float(u.get("x")), float(u.get("y"))) for u in g.iter("use")] for g in kept]
        return [
            np.stack([self.data(p[:, 0], "x"), self.data(p[:, 1], "y")], axis=1)
            for p in map(np.array, uses)
            if p.size
        ]

    @property
    def filled(self):
        """Filled polygons inside the axes."""
        paths = [
            path
            for group in self.axes
            if _name(group).startswith("patch")
            for path in group.findall("path")
        ]
        return [self.points(p) for p in paths if "fill: none" not in p.get("style")]

    def text(self, words):
        """Place of a text on the paper, and on which side of it the text runs."""
        for one in self.axes.iter("text"):
            if "".join(one.itertext()) == words:
                anchor = re.search(r"text-anchor: (\w+)", one.get("style"))
                return float(self.data(float(one.get("x")), "x")), anchor[1] if anchor else "start"
        raise AssertionError(f"{words!r} is not drawn")


def _number(label):
    """Read the label of a tick; a power of ten is written in two sizes."""
    pieces = label.split()
    return float(label) if len(pieces) == 1 else 10.0 ** int("".join(pieces)[2:])


def _name(group):
    return (group.get("id") or "").split("-")[-1]
