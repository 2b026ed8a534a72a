"""The studio in a real browser: the whole way by mouse and by keys, and what pages look like."""

import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, browser, missing
from studio_person import PICTURES, TAB, Person, Server, Typist, walks
from tests.studio import studio_kinds

import geomdp as dp

pytest.importorskip("starlette")
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        bool(missing()),
        reason=f"no {missing()} here: run `make test-system`, which installs Debian's",
    ),
]


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def person(window: Browser) -> Person:
    window.look(1280, dark=False)
    return Person(window)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    project = tmp_path / "ancient-field"
    project.mkdir()
    records = np.load(_directions(tmp_path))
    np.savetxt(project / "lava.csv", records, delimiter=",", header="x,y,z", comments="")
    started = Server(project)
    yield started
    started.end()


def _directions(folder: Path) -> Path:
    file = folder / "directions.npy"
    np.save(file, dp.datasets.load_directions().records)
    return file


def test_from_a_csv_file_to_a_verified_release_by_mouse(person: Person, server: Server) -> None:
    began = time.monotonic()
    person.goes(server.door)
    person.types("Name of a new plan", "mean")
    person.keeps_picture("project")
    assert "epsilon" not in person.reads().lower()
    person.clicks("Begin a plan")
    person.types("What a record is", "sphere:2")
    assert "epsilon" not in person.reads().lower(), "nobody hears of it before the slider"
    person.types("Where the records are", "lava.csv")
    person.clicks("Save")
    person.clicks("What do you want")
    person.waits_for("The mean with error bars")
    assert "epsilon" not in person.reads().lower()
    person.keeps_picture("question")
    person.clicks("Next")
    person.types("Centre", "1,0,-9.41")
    person.types("Radius", "0,5236")
    person.types("Number of records", "121")

    person.types("Where that comes from", "the axis of the Earth at 65 degrees south")
    before = person.reads()
    assert "ε =" not in before.split("Budgets of published uses")[0]
    person.types("Epsilon", "1")
    person.waits_for("How exact")
    said = person.waits_for("belief before")
    assert "95 of 100 releases" in said.lower() or "95 OF 100" in said
    first = person.window.run("return document.querySelector('#forecast table').innerText")
    person.window.run(
        "const bar = [...document.querySelectorAll('.slider')].find(b => b.dataset.for ==="
        " 'f-epsilon'); bar.value = 30; bar.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    for _ in range(100):
        if person.window.run("return document.querySelector('#forecast table').innerText") != first:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the forecast does not follow the slider")
    person.keeps_picture("forecast")
    person.types("Epsilon", "1")
    person.clicks("Next")
    person.types("Title", "Ancient field")
    person.clicks("Write the plan")
    person.waits_for("SHA-256")
    person.keeps_picture("plan")
    person.types("Name", "A. Reader")
    person.clicks("Sign this plan")
    person.waits_for("A. Reader")
    person.clicks("To the release")
    person.keeps_picture("release")
    person.clicks("Spend")
    person.waits_for("Released.")
    person.clicks("Verify it")
    person.types("The approved plan", "mean.json")
    person.clicks("Verify")
    person.waits_for("Every number follows")
    person.keeps_picture("verified")
    assert "It used the approved plan" in person.reads()
    assert dp.verify(server.project / "mean-release", server.project / "mean.json").verified
    assert person.window.log() == []
    seconds = time.monotonic() - began
    assert seconds < 300, f"five minutes are promised, it took {seconds:.0f} s"


def test_no_page_says_anything_to_anybody_else(person: Person, server: Server) -> None:
    person.goes(server.door)
    asked = person.window.run(
        "return performance.getEntriesByType('resource').map(e => new URL(e.name).origin)"
    )
    assert set(asked) == {re.match(r"http://[^/]+", server.door)[0]}  # type: ignore[index]
    assert person.window.run("return localStorage.length + sessionStorage.length") == 0


def test_another_page_in_the_same_browser_reads_nothing(
    person: Person, server: Server, tmp_path: Path
) -> None:
    person.goes(server.door)
    inside = person.window.run("return location.href")
    page = tmp_path / "evil.html"
    page.write_text("<!doctype html><title>evil</title><p>evil</p>")
    person.window.open(page)
    for options in ("{credentials: 'include'}", "{method: 'POST', credentials: 'include'}"):
        said = person.window.run(
            "return fetch(arguments[0], " + options + ").then(r => r.text(), e => 'refused')",
            inside,
        )
        assert said == "refused"
    person.window.run(
        "const f = document.createElement('form'); f.method = 'POST';"
        "f.action = arguments[0] + 'new'; f.innerHTML = '<input name=name value=taken>';"
        "document.body.append(f); f.submit()",
        inside,
    )
    person.waits_for("does not answer")
    assert not list(server.project.glob("taken*"))
    person.window.log()


KINDS = [
    *(studio_kinds.directions, studio_kinds.tensors, studio_kinds.shapes, studio_kinds.curves),
    *(studio_kinds.groups, studio_kinds.persons),
    pytest.param(studio_kinds.faces, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hand", [Person, Typist])
def test_the_whole_way_by_mouse_and_by_keys_alone(
    window: Browser, tmp_path: Path, hand: type[Person], kind: Callable[[Path], dict[str, str]]
) -> None:
    project = tmp_path / "study"
    project.mkdir()
    typed = kind(project)
    window.look(1280, dark=False)
    server = Server(project)
    try:
        walks(hand(window), server, typed)
    finally:
        server.end()
    verdict = dp.verify(project / "mean-release", project / "mean.json")
    assert verdict.verified, verdict.problems


def test_the_first_that_keys_come_to_leads_to_the_content(window: Browser, server: Server) -> None:
    typist = Typist(window)
    typist.goes(server.door)
    typist.presses(TAB)
    assert window.run("return document.activeElement.className") == "skip"


#: What axe-core would also ask, where it is not at hand: names, one main, contrast by the style.
NAMES = """
const bad = [];
for (const e of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
  if (!e.labels?.length && !e.getAttribute('aria-label')) bad.push(e.outerHTML.slice(0, 80));
}
for (const e of document.querySelectorAll('button, a[href]')) {
  if (!e.textContent.trim()) bad.push(e.outerHTML.slice(0, 80));
}
if (document.querySelectorAll('h1').length !== 1) bad.push('h1');
if (document.querySelectorAll('main').length !== 1) bad.push('main');
if (!document.documentElement.lang) bad.push('lang');
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) bad.push('twice ' + id);
for (const e of document.querySelectorAll('[aria-describedby]'))
  if (!document.getElementById(e.getAttribute('aria-describedby'))) bad.push('describedby');
if (document.documentElement.scrollWidth > innerWidth + 1) bad.push('wider than the window');
return bad;
"""


def axe_source() -> str:
    """Return axe-core, where it is: ``make test-system`` gets it, ``GEOMDP_AXE`` names its file."""
    named = os.environ.get("GEOMDP_AXE", "")
    return Path(named).read_text("utf-8") if named and Path(named).is_file() else ""


def complaints(window: Browser, axe: str) -> list[object]:
    """Return what is wrong with a page for somebody who sees, hears or types otherwise."""
    found = list(window.run(NAMES))
    if axe:
        # Typed into the page by the driver: the page's own policy lets no such script in.
        window.devtools("Runtime.evaluate", expression=axe)
        said = window.devtools(
            "Runtime.evaluate",
            expression="axe.run().then(r => JSON.stringify(r.violations.map("
            "v => [v.id, v.nodes.map(n => n.html.slice(0, 90)).slice(0, 4)])))",
            awaitPromise=True,
            returnByValue=True,
        )
        found += json.loads(said["result"]["value"])
    return found


def test_what_is_wrong_for_some_is_really_seen(window: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><html lang=en><title>x</title><main><h1>x</h1><input>"
        "<p style='color: #ccc; background: #fff'>pale</p></main></html>"
    )
    window.look(1280, dark=False)
    window.open(page)
    axe = axe_source()
    names = [one[0] for one in complaints(window, axe) if isinstance(one, list)]
    assert complaints(window, axe)
    assert not axe or {"color-contrast", "label"} <= set(names)
    window.log()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_every_screen_can_be_used_by_everybody(
    person: Person, server: Server, width: int, dark: bool
) -> None:
    person.goes(server.door)
    person.types("Name of a new plan", "mean")
    person.clicks("Begin a plan")
    person.waits_for("What do you have?")
    person.window.look(width, dark=dark)
    root = person.window.run("return location.href").split("/draft/")[0]
    made = dp.plan(
        dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)),
        n=121,
        budget=dp.Pure(1),
        mechanism="laplace",
        about=dp.About(title="A field"),
    )
    made.save(server.project / "other.json")
    draft = {"space": "sphere:2", "center": "1,0,-9.41", "radius": "0.5", "n": "121"}
    (server.project / "mean.draft.json").write_text(
        json.dumps({"plan": {**draft, "epsilon": "1"}, "data": {}, "file": "lava.csv"})
    )
    book = dp.Ledger.create(server.project / "study.db", server.project / "study.key")
    book.grant("lava", dp.Pure(3))
    made.release(np.load(_directions(server.project.parent))).save(server.project / "other-release")
    axe = axe_source()
    for place in (
        *("/", "/draft/mean/data", "/draft/mean/question", "/draft/mean/private"),
        *("/draft/mean/board", "/plan/other.json", "/plan/other.json/release", "/together"),
        *("/verify/other-release", "/ledger/study.db", "/report/other-release/report.html"),
        *("/plan/other.json/page", "/nothing-here/at/all"),
    ):
        person.goes(root + place)
        if "nothing" in place:
            person.waits_for("There is no such page")
            continue
        assert complaints(person.window, axe) == [], place
        name = place.strip("/").replace("/", "-") or "home"
        if PICTURES:
            person.keeps_picture(f"{name}-{width}-{'dark' if dark else 'light'}")
    person.goes(f"{root}/draft/mean/data")
    person.clicks("Look at the records")
    person.waits_for("For your eyes only")
    assert complaints(person.window, axe) == []
    assert [line for line in person.window.log() if "404" not in line] == []


def test_a_server_that_is_killed_and_started_again(person: Person, server: Server) -> None:
    person.goes(server.door)
    person.types("Name of a new plan", "kept")
    person.clicks("Begin a plan")
    person.types("What a record is", "sphere:2")
    person.clicks("Save")
    for _ in range(100):
        if "sphere:2" in (server.project / "kept.draft.json").read_text():
            break
        time.sleep(0.1)
    server.end()
    again = Server(server.project)
    try:
        person.goes(again.door)
        person.clicks("kept")
        assert person.window.run("return document.getElementById('f-space').value") == "sphere:2"
    finally:
        again.end()


def planned(server: Server) -> None:
    """A plan in the project, with a ledger that can pay for three releases of it."""
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, -1], radius=0.5)
    made = dp.plan(dp.FrechetMean(ball), n=121, budget=dp.Pure(1), mechanism="laplace")
    made.save(server.project / "mean.json")
    book = dp.Ledger.create(server.project / "study.db", server.project / "study.key")
    book.grant("lava", dp.Pure(3))


def spent(server: Server) -> list[str]:
    book = dp.Ledger(server.project / "study.db", server.project / "study.key")
    return [one.state for one in book.account("lava").spendings]


#: Sends the form of a release several times at once, as an impatient person or a second tab would.
SEND = """
const form = document.querySelector('form.once');
const body = () => new URLSearchParams(new FormData(form));
window.sent = 0;
for (let i = 0; i < 4; i++)
  fetch(form.action, {method: 'POST', body: body()}).then(r => r.text()).then(() => window.sent++);
"""


def test_reloads_and_second_tabs_spend_once(person: Person, server: Server) -> None:
    planned(server)
    person.goes(server.door)
    person.waits_for("Plans")
    root = person.window.run("return location.href").rstrip("/")
    person.goes(f"{root}/plan/mean.json/release")
    person.types("Where the records are", "lava.csv")
    person.types("Who pays", "lava in study.db")
    first = person.call("GET", "window")
    person.window.run(SEND)
    # A second tab, opened while the first release is at work.
    second = person.call("POST", "window/new", {"type": "tab"})["handle"]
    person.call("POST", "window", {"handle": second})
    person.goes(f"{root}/job/mean-release")
    for _ in range(6):
        person.call("POST", "refresh", {})
    person.waits_for("Released.")
    person.clicks("Back to the project")
    person.waits_for("mean-release")
    person.call("DELETE", "window")
    person.call("POST", "window", {"handle": first})
    person.found("return window.sent === 4", "not all forms were answered")
    person.clicks("Spend")  # the same form once more, from the page that is still open
    person.waits_for("Released.")
    person.call("POST", "back", {})
    person.call("POST", "forward", {})
    person.call("POST", "refresh", {})
    person.waits_for("Released.")
    assert spent(server) == ["published"]
    assert [one.name for one in server.project.glob("mean-release*")] == ["mean-release"]
    person.window.log()


def test_hostile_names_are_read_and_do_nothing(person: Person, server: Server) -> None:
    bad = "<img src=x onerror=document.title='taken'>"
    (server.project / f"{bad}.csv").write_text(f'x,y,z,"{bad}"\n0,0,1,a\n0,0,1,b\n')
    person.goes(server.door)
    person.types("Name of a new plan", "mean")
    person.clicks("Begin a plan")
    person.types("What a record is", "sphere:2")
    person.types("Where the records are", bad)
    person.clicks("Look at the records")
    assert bad in person.waits_for("is not a number")
    person.clicks("Take the columns x, y, z")
    assert bad in person.waits_for("For your eyes only")
    person.clicks("For the board")
    person.types("Title", bad)
    person.clicks("Save")
    person.waits_for("For the board")
    assert "taken" not in person.window.run("return document.title")
    assert person.window.run("return document.querySelectorAll('img').length") == 0
    assert person.window.log() == []


def asked_of(server: Server, request: bytes, most: int = 1 << 22) -> str:
    """Send bytes to the server, as long as it takes them, and return its first line."""
    port = int(re.search(r":(\d+)/", server.door)[1])  # type: ignore[index]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(request)
        with suppress(OSError):
            for _ in range(most // 65_536 if b"POST" in request else 0):
                line.sendall(bytes(65_536))
        with suppress(OSError):
            return line.recv(200).decode("latin-1").split("\r\n")[0]
    return "closed"


def test_the_server_itself_refuses_other_names_paths_and_two_gigabytes(server: Server) -> None:
    address, door = re.match(r"http://([^/]+)(/.+)", server.door).groups()  # type: ignore[union-attr]
    secret = server.project.parent / "secret.json"
    secret.write_text("SECRET")
    get = f"GET {door} HTTP/1.1\r\nHost: %s\r\n\r\n"
    for host in ("evil.example", f"evil.example:{address.split(':')[1]}", ""):
        assert " 421 " in asked_of(server, (get % host).encode()), host
    assert " 303 " in asked_of(server, (get % address).encode())
    for path in ("/../secret.json", "/%2e%2e/secret.json", "//etc/passwd", "/own/studio.css"):
        head = f"GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"
        assert " 404 " in asked_of(server, head.encode()), path
    long = f"POST {door} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {2 << 30}\r\n\r\n"
    said = asked_of(server, long.encode())
    assert said == "closed" or " 4" in said, said
    peak = Path(f"/proc/{server.process.pid}/status").read_text()
    assert int(re.search(r"VmHWM:\s+(\d+)", peak)[1]) < 1_500_000  # type: ignore[index]
