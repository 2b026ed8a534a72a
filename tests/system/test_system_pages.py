"""The pages in a real browser: no errors, light and dark, narrow and wide, and the face turns."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, browser, missing
from markupsafe import Markup

import geomdp as dp
from geomdp.cli.demonstration import Example, make_demo
from geomdp.report import plan_html
from geomdp.report.pictures.by_space import faces
from geomdp.report.pictures.landmarks import FACES, OCTAHEDRON
from geomdp.report.rendering import render
from geomdp.statistics.map_mean import VoxelGrid
from geomdp.surfaces.mesh.procedural import template_face

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        bool(missing()),
        reason=f"no {missing()} here: run `make test-system`, which installs Debian's",
    ),
]

PAGES = (
    "index.html",
    "tensors/release/report.html",
    "tensors/plan.html",
    "plan.html",
    "face.html",
    "means/report.html",
    "map/report.html",
)
#: Light and dark, narrow and wide.
LOOKS = [(400, False), (400, True), (1280, False), (1280, True)]


def tensors() -> tuple[dp.Plan, np.ndarray]:
    ball = dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0)
    plan = dp.plan(dp.FrechetMean(ball), n=1000, budget=dp.Pure(1), mechanism="laplace")
    return plan, np.tile(np.diag([1.7, 0.5, 0.4]), (1000, 1, 1))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "demo"
    make_demo(folder, examples=[Example("tensors", "Tensors", "A mean tensor.", tensors)])
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    plan = dp.plan(dp.FrechetMean(ball), n=1000, budget=dp.Pure(1), mechanism="laplace")
    (folder / "plan.html").write_text(plan_html(plan, [dp.Pure("0.5"), dp.Pure(1)]), "utf-8")
    sizes = {"a": 50, "b": 70}
    groups = dp.plan(dp.FrechetMean(ball), n=sizes, budget=dp.Pure(9), mechanism="laplace")
    points, labels = np.tile(ball.center, (120, 1)), np.repeat(["a", "b"], [50, 70])
    groups.release(dp.Records(points, group=labels)).save(folder / "means")
    grid = VoxelGrid(np.ones((4, 5, 6), dtype=bool), np.eye(4))
    asked = dp.MapMean(dp.Ball(dp.Euclidean(1), [0.4], 0.3), grid.count, grid=grid)
    slices = dp.plan(asked, n=20, budget=dp.GDP(50))
    slices.release(np.stack([asked.public_record] * 20)).save(folder / "map")
    mesh = faces.turnable(template_face(), "A face")
    (folder / "face.html").write_text(
        render("bare", title="A face", script="turn.js").replace("<p>", f"{mesh}<p>"), "utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as session:
        yield session


def luminance(css: str) -> float:
    red, green, blue = (float(x) for x in re.findall(r"[\d.]+", css)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_no_errors_and_asks_for_nothing(
    name: str, site: Path, window: Browser
) -> None:
    window.log()
    window.open(site / name)
    assert window.log() == []
    asked = window.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [address for address in asked if not address.startswith("data:")] == []
    assert window.run("return document.title") != ""


def test_the_console_is_really_watched(site: Path, window: Browser, tmp_path: Path) -> None:
    # Power of the check above: a page with an error and an outside image is noticed.
    broken = tmp_path / "broken.html"
    broken.write_text("<!doctype html><title>x</title><script>nonsense()</script>")
    window.log()
    window.open(broken)
    assert any("nonsense" in line for line in window.log())
    text = (
        (site / "index.html").read_text().replace("<main>", '<main><img src="http://127.0.0.1:9/">')
    )
    broken.write_text(text)
    window.open(broken)
    assert any("Content Security Policy" in line for line in window.log())


@pytest.mark.parametrize(("width", "dark"), LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_can_be_read(
    name: str, width: int, dark: bool, site: Path, window: Browser
) -> None:
    window.look(width, dark=dark)
    window.open(site / name)
    assert window.run("return document.documentElement.scrollWidth") <= width
    paper, ink = window.run(
        "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
    )
    assert abs(luminance(paper) - luminance(ink)) > 0.7
    assert (luminance(paper) < luminance(ink)) == dark


@pytest.mark.parametrize("dark", [False, True])
def test_the_ink_of_pictures_follows_the_page(dark: bool, site: Path, window: Browser) -> None:
    window.look(1280, dark=dark)
    window.open(site / "tensors/release/report.html")
    paper = window.run("return getComputedStyle(document.body).backgroundColor")
    strokes = window.run(
        "return [...document.querySelectorAll('figure svg path')]"
        ".map(p => getComputedStyle(p).stroke).filter(s => s.startsWith('rgb'))"
    )
    accent = window.run(
        "const a = document.createElement('a'); a.href = '#'; document.body.append(a);"
        "return getComputedStyle(a).color"
    )
    assert len(strokes) > 20
    assert accent in strokes
    assert abs(luminance(accent) - luminance(paper)) > 0.4


def test_links_of_the_index_open(site: Path, window: Browser) -> None:
    window.open(site / "index.html")
    links = window.run("return [...document.querySelectorAll('main a')].map(a => a.href)")
    assert len(links) == 4
    for link in links:
        assert Path(link.removeprefix("file://")).is_file()


def settled(window: Browser, script: str) -> list[float]:
    """Return a value once two frames have passed since the last event, so that it was drawn."""
    window.run(
        "window.frames_done = 0; requestAnimationFrame(() =>"
        "requestAnimationFrame(() => { window.frames_done = 1; }))"
    )
    while not window.run("return window.frames_done"):
        time.sleep(0.05)
    return window.run(script)


def test_the_sliders_choose_a_cell_of_the_table(site: Path, window: Browser) -> None:
    window.look(1280, dark=False)
    window.open(site / "plan.html")
    answer = "return document.querySelector('.control output').textContent"
    first = window.run(answer)
    assert first.startswith("Expected error ")
    assert "% of the radius" in first
    window.run(
        "const bar = document.querySelector('.control input[name=radius]');"
        "bar.value = 0; bar.dispatchEvent(new Event('input'))"
    )
    smaller = window.run(answer)
    assert smaller != first
    assert float(smaller.split()[2]) < float(first.split()[2])
    label = "return document.querySelectorAll('.control .at')[1].textContent"
    assert window.run(label).startswith("radius = ")
    assert window.log() == []


def test_the_face_turns_by_mouse_and_by_keys(site: Path, window: Browser) -> None:
    window.look(1280, dark=False)
    window.open(site / "face.html")
    state = "const c = document.querySelector('canvas'); return [+c.dataset.yaw, +c.dataset.pitch]"
    image = "return document.querySelector('canvas').toDataURL()"
    before, seen = window.run(state), window.run(image)
    box = window.run(
        "const r = document.querySelector('canvas').getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]"
    )
    x, y = (round(v) for v in box)
    window.pointer(
        {"type": "pointerMove", "duration": 0, "x": x, "y": y},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerMove", "duration": 100, "x": x + 60, "y": y + 24},
        {"type": "pointerUp", "button": 0},
    )
    dragged = settled(window, state)
    assert dragged == pytest.approx([before[0] + 0.5, before[1] + 0.2], abs=0.02)
    assert window.run(image) != seen
    window.run(
        "const c = document.querySelector('canvas'); c.focus();"
        "c.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', cancelable: true}))"
    )
    assert settled(window, state)[0] == pytest.approx(dragged[0] - 0.1, abs=0.01)
    assert window.log() == []


#: What a canvas shows, whatever drew it: red, or how opaque, of every fourth pixel each way.
SEEN = """
const c = document.querySelector('canvas'), flat = document.createElement('canvas');
flat.width = flat.height = c.width;
const pen = flat.getContext('2d', {willReadFrequently: true});
pen.drawImage(c, 0, 0);
const d = pen.getImageData(0, 0, c.width, c.height).data, out = [];
for (let y = 0; y < c.width; y += 4) for (let x = 0; x < c.width; x += 4) {
  const i = 4 * (y * c.width + x);
  out.push(d[i + 3] ? d[i] : -1);
}
return out;
"""
NO_CARD = """
const real = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith('webgl') ? null : real.call(this, kind, ...more);
};
"""
DRAWN = "return document.querySelector('canvas').dataset.drawn"


@pytest.fixture
def without_card(window: Browser) -> Iterator[None]:
    asked = "Page.addScriptToEvaluateOnNewDocument"
    made = window.devtools(asked, source=NO_CARD)
    yield
    window.devtools(asked.replace("add", "remove"), identifier=made["identifier"])


def seen(window: Browser) -> np.ndarray:
    """Red of the pixels of the picture that can be turned; -1 where there is nothing."""
    pixels = np.array(settled(window, SEEN), dtype=float)
    side = round(pixels.size**0.5)
    return pixels.reshape(side, side)


def test_the_face_is_drawn_and_not_blank(site: Path, window: Browser) -> None:
    window.look(1280, dark=False)
    window.open(site / "face.html")
    assert window.run(DRAWN) == "surface"
    assert 0.2 < float(np.mean(seen(window) >= 0)) < 0.9


def test_without_a_graphics_card_triangles_are_drawn(
    site: Path, window: Browser, without_card: None
) -> None:
    window.look(1280, dark=False)
    window.open(site / "face.html")
    assert window.run(DRAWN) == "triangles"
    assert 0.2 < float(np.mean(seen(window) >= 0)) < 0.9
    test_the_face_turns_by_mouse_and_by_keys(site, window)


def test_a_card_that_is_taken_away_leaves_the_picture_as_it_was_turned(
    site: Path, window: Browser
) -> None:
    window.look(1280, dark=False)
    window.open(site / "face.html")
    turn = (
        "const c = document.querySelector('canvas');"
        "c.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', cancelable: true}))"
    )
    window.run(turn)
    before = seen(window)
    window.run(
        "document.querySelector('canvas').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context').loseContext()"
    )
    for _ in range(100):
        if window.run(DRAWN) == "triangles":
            break
        time.sleep(0.05)
    away = np.abs(seen(window) - before)[before >= 0]
    assert np.mean(away) < 4
    window.run(turn)
    assert np.any(seen(window) != before)
    window.log()


def sphere(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """An octahedron whose faces are quartered, on the sphere: a coarse mesh of it."""
    points, faces = OCTAHEDRON, FACES
    for _ in range(steps):
        a, b, c = (points[faces[:, k]] for k in range(3))
        middles = [one / np.linalg.norm(one, axis=1)[:, None] for one in (a + b, b + c, c + a)]
        points, count, m = np.concatenate([points, *middles]), len(points), len(faces)
        ab, bc, ca = (count + k * m + np.arange(m) for k in range(3))
        at = faces.T
        corners = ((at[0], ab, ca), (ab, at[1], bc), (ca, bc, at[2]), (ab, bc, ca))
        faces = np.concatenate([np.stack(three, axis=1) for three in corners])
    return points, faces


@pytest.mark.parametrize("yaw", [0.0, 0.5, 1.1, 2.3])
def test_a_coarse_sphere_is_round_and_smooth_from_every_side(
    yaw: float, window: Browser, tmp_path: Path
) -> None:
    points, triangles = sphere(2)  # 128 triangles: edges of a third of the radius
    mesh = faces.turning(points, triangles, Markup("<img alt='' src='data:,'>"), "A sphere")
    page = render("turn", title="A sphere", picture=mesh, script="turn.js")
    file = tmp_path / "sphere.html"
    file.write_text(page.replace("<canvas", f'<canvas data-yaw="{yaw}" data-pitch="0.3"'), "utf-8")
    window.look(1280, dark=False)
    window.open(file)
    assert window.run(DRAWN) == "surface"
    picture = seen(window)
    wide = np.arange(len(picture)) * 4
    across = (wide + 0.5) / window.run("return document.querySelector('canvas').width")
    x, y = np.meshgrid(2 * across - 1, 1 - 2 * across)
    x, y = x / 0.96, y / 0.96
    inside = x * x + y * y < 0.97**2
    z = np.sqrt(np.where(inside, 1 - x * x - y * y, 0))
    key, fill = ((1 - 0.51 * x + 0.55 * y + 0.65 * z) / 2, (1 + 0.9 * x + 0.45 * z) / 2)
    told = np.minimum(219 * (0.03 + 1.05 * key**2 + 0.15 * fill**2), 255)
    assert np.all(picture[x * x + y * y > 1.02**2] == -1)
    away = np.abs(picture - told)[inside]
    assert np.mean(away) < 1, np.mean(away)
    assert np.max(away) < 9, np.max(away)


def test_on_paper_the_face_is_a_picture(site: Path, window: Browser) -> None:
    window.open(site / "face.html")
    window.devtools("Emulation.setEmulatedMedia", media="print")
    shown = window.run(
        "return ['canvas', '.turn img'].map("
        "q => getComputedStyle(document.querySelector(q)).display)"
    )
    paper = window.run("return getComputedStyle(document.body).backgroundColor")
    window.devtools("Emulation.setEmulatedMedia", media="")
    assert shown == ["none", "block"]
    assert luminance(paper) == pytest.approx(1.0)
