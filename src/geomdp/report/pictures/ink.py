"""From a matplotlib figure to inline SVG whose colours follow the page, or to a PNG in the page.

Figures are drawn with the named inks below. In the SVG each becomes a variable of the style sheet,
so that one picture serves light pages, dark pages and paper.
"""

import base64
import io
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.report.rendering import Html, part

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours that no figure uses for anything else, and what the page calls them.
INK, SOFT, FAINT, ACCENT, TINT = "#1c1d1e", "#62666d", "#c9ccd1", "#14588e", "#d7e6f1"
_VARIABLES = {INK: "--ink", SOFT: "--soft", FAINT: "--faint", ACCENT: "--accent", TINT: "--tint"}

_STYLE: Any = {  # Any: matplotlib types its settings one by one
    "svg.fonttype": "none",  # text stays text: searchable, and in the page's font
    "svg.hashsalt": "geomdp",  # the same figure gives the same bytes
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
}


_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def own_settings() -> Iterator[None]:
    """Draw as if nobody had told matplotlib anything, and alone: a context, or a decorator.

    Its settings belong to the process, and a page that is made again must be the same.
    """
    from matplotlib import rc_context, rcdefaults

    with _ONE_AT_A_TIME, rc_context():
        rcdefaults()
        yield


def new_figure(width: float, height: float) -> tuple["Figure", "Axes"]:
    """Return an empty figure of so many inches, with its axes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_alpha(0.0)
        axes = figure.add_subplot()
    _quiet(axes)
    return figure, axes


#: Small multiples show at most so many times the median width: what leaves the frame is cut.
WIDEST = 3.0


def share_limits(drawn: "Sequence[Axes]") -> None:
    """Give axes of separate figures the same limits, so that their pictures can be compared.

    The limits hold what all of them show, but for one that is far wider than most.
    """
    if not drawn:
        return
    for name in ("xlim", "ylim"):
        limits = np.array([getattr(axes, f"get_{name}")() for axes in drawn])
        falling = bool(limits[0, 0] > limits[0, 1])
        low, high = limits.min(axis=1), limits.max(axis=1)
        middle = float(np.median((low + high) / 2))
        half = WIDEST / 2 * float(np.median(high - low))
        shared = max(low.min(), middle - half), min(high.max(), middle + half)
        for axes in drawn:
            getattr(axes, f"set_{name}")(*(shared[::-1] if falling else shared))


def _quiet(axes: "Axes") -> None:
    axes.patch.set_alpha(0.0)
    axes.tick_params(which="both", colors=SOFT)
    axes.xaxis.label.set_color(SOFT)
    axes.yaxis.label.set_color(SOFT)
    for spine in axes.spines.values():
        spine.set_color(SOFT)
    axes.spines[["top", "right"]].set_visible(False)


def to_svg(figure: "Figure", name: str, alt: str) -> Html:
    """Return inline SVG; ``name`` keeps its ids apart from those of other pictures on the page."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    with rc_context(_STYLE):
        # Drawn once: a figure that is saved is drawn before too, to be laid out, and again for it.
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(buffer, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for left_out in ("metadata", "style"):  # an inline style would reach the whole page
        text = re.sub(rf"<{left_out}\b.*?</{left_out}>", "", text, flags=re.DOTALL)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", text)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    box = re.search(r'viewBox="([^"]*)"', text)
    assert box is not None  # matplotlib always writes one
    inside = text[text.index(">") + 1 : text.rindex("</svg>")]
    return part("svg", alt, box.group(1), Html(inside))


def to_png(figure: "Figure", alt: str, dpi: int = 150) -> Html:
    """Return an image that holds its own bytes: for pictures with thousands of triangles."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, transparent=True, metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return part("image", alt, f"data:image/png;base64,{data}")
