"""Somebody at the studio: reads labels, presses what says what is wanted, by mouse or keys."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from browser import Browser

#: Pictures of the screens are kept here, if it is set; the tutorial's are made so.
PICTURES = os.environ.get("GEOMDP_STUDIO_PICTURES", "")
#: Keys, as the protocol of the driver names them.
TAB, ENTER, SPACE, SHIFT, CONTROL, DOWN, HOME, BACK, LEFT, RIGHT = (
    chr(code)
    for code in (0xE004, 0xE007, 0xE00D, 0xE008, 0xE009, 0xE015, 0xE011, 0xE003, 0xE012, 0xE014)
)


class Server:
    """``geomdp studio`` in a process of its own."""

    def __init__(self, project: Path) -> None:
        self.project = project
        environment = {**os.environ, "XDG_CONFIG_HOME": str(project.parent / "config")}
        command = [sys.executable, "-u", "-m", "geomdp", "studio", str(project), "--no-browser"]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        self.door = self.process.stdout.readline().split()[-1]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)


#: Finds what can be pressed and says so, and marks it.
PRESSED = """
for (const e of document.querySelectorAll('[data-hit]')) e.removeAttribute('data-hit');
if (document.readyState !== 'complete') return false;
const one = [...document.querySelectorAll('button, a, summary')].find(
  e => e.textContent.trim().startsWith(arguments[0]) && e.offsetParent !== null);
if (one) one.setAttribute('data-hit', '1');
return !!one;
"""
#: Finds the field that is called so, or has this name; tells what it is, and what must be opened.
FIELD = """
for (const e of document.querySelectorAll('[data-hit]')) e.removeAttribute('data-hit');
if (document.readyState !== 'complete') return null;
const label = [...document.querySelectorAll('label')].find(
  e => e.htmlFor === 'f-' + arguments[0] || e.textContent.trim().startsWith(arguments[0]));
const box = label && document.getElementById(label.htmlFor);
if (!box) return null;
const closed = box.closest('details:not([open])');
(closed ? closed.querySelector('summary') : box).setAttribute('data-hit', '1');
return {closed: !!closed, kind: box.tagName, options: [...(box.options || [])].map(o => o.text)};
"""
#: What Tab goes through, in its order; where in it the focus is, and what is marked.
STOPS = """
const all = [...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter(
  e => e.checkVisibility() && !e.disabled);
return [all.findIndex(e => e.dataset.hit), all.indexOf(document.activeElement), all.length];
"""
HAS_FOCUS = "return !!document.activeElement.dataset.hit"


class Person:
    """Somebody who uses a mouse."""

    def __init__(self, window: Browser) -> None:
        self.window = window

    def call(self, method: str, what: str, body: Any = None) -> Any:
        return self.window._call(method, f"{self.window._session}/{what}", body)

    def goes(self, address: str) -> None:
        self.call("POST", "url", {"url": address})

    def element(self, css: str) -> str:
        found = self.call("POST", "element", {"using": "css selector", "value": css})
        return next(iter(found.values()))

    def presses(self, *keys: str) -> None:
        """Press keys one after another, wherever the focus is; joined ones at once."""
        actions = []
        for chord in keys:
            parts = chord if chord[0] in (SHIFT, CONTROL) else [chord]
            actions += [{"type": "keyDown", "value": key} for key in parts]
            actions += [{"type": "keyUp", "value": key} for key in reversed(parts)]
        board = {"type": "key", "id": "board", "actions": actions}
        self.call("POST", "actions", {"actions": [board]})

    def reaches(self) -> None:
        """Go to what is marked."""
        self.window.run("document.querySelector('[data-hit]').scrollIntoView({block: 'center'})")
        self.call("POST", f"element/{self.element('[data-hit]')}/click", {})

    def acts(self) -> None:
        """Press what is marked."""
        self.reaches()

    def clicks(self, words: str) -> None:
        """Press the button, link or heading that says so; again, if the page just went."""
        for _ in range(20):
            self.found(PRESSED, f"nothing says {words!r}", words)
            try:
                self.acts()
                return
            except RuntimeError as error:
                gone = ("no such element", "stale element", "Cannot read properties of null")
                if not any(text in str(error) for text in gone):
                    raise
                time.sleep(0.1)
        raise AssertionError(f"the page does not come to rest before {words!r} is pressed")

    def types(self, label: str, text: str) -> None:
        """Type into the field that is called so; choose, where there is a list."""
        found = self.found(FIELD, f"no field {label!r}", label)
        while found["closed"]:
            self.acts()
            found = self.found(FIELD, f"no field {label!r}", label)
        if found["kind"] == "SELECT":
            self.chooses(text, found["options"])
            return
        self.reaches()
        self.presses(CONTROL + "a", BACK)
        keys = [ENTER if letter == "\n" else letter for letter in text]
        self.presses(*keys)

    def chooses(self, text: str, options: list[str]) -> None:
        number = self._number(text, options)
        css = f"[data-hit] option:nth-of-type({number + 1})"
        self.call("POST", f"element/{self.element(css)}/click", {})

    @staticmethod
    def _number(text: str, options: list[str]) -> int:
        fitting = [i for i, one in enumerate(options) if one.startswith(text)]
        assert fitting, f"{text!r} is not among {options}"
        exact = [i for i in fitting if options[i] == text]
        return (exact or fitting)[0]

    def found(self, script: str, otherwise: str, *arguments: str) -> Any:
        """Run a script until it finds something: the page may still be on its way."""
        for _ in range(100):
            if answer := self.window.run(script, *arguments):
                return answer
            time.sleep(0.1)
        raise AssertionError(f"{otherwise} on: {self.reads()[:1500]}")

    def reads(self) -> str:
        return str(self.window.run("return document.body.innerText"))

    def waits_for(self, words: str) -> str:
        for _ in range(600):
            if words in (said := self.reads()):
                return said
            time.sleep(0.1)
        raise AssertionError(f"{words!r} never came: {self.reads()[:1500]}")

    def arrives(self, heading: str) -> None:
        """Wait until the page is there that is called so."""
        here = (
            "return document.readyState === 'complete' && document.querySelector('h1')?.innerText"
        )
        for _ in range(600):
            if str(self.window.run(here)).startswith(heading):
                return
            time.sleep(0.1)
        raise AssertionError(f"{heading!r} never came: {self.reads()[:1500]}")

    def keeps_picture(self, name: str) -> None:
        if PICTURES:
            Path(PICTURES, f"{name}.png").write_bytes(self.window.picture())


class Typist(Person):
    """Somebody who uses keys alone: nothing below moves the focus but Tab."""

    def reaches(self) -> None:
        there, here, count = self.window.run(STOPS)
        assert there >= 0, "what is wanted cannot be reached by Tab"
        away = there - here
        key = TAB if away > 0 else SHIFT + TAB
        if away:
            self.presses(*[key] * abs(away))
        for _ in range(count):  # where Tab goes another way: one step after another
            if self.window.run(HAS_FOCUS):
                break
            self.presses(TAB)
        else:
            raise AssertionError("Tab never comes to what is wanted")
        seen = "const s = getComputedStyle(document.activeElement); return s.outlineStyle"
        assert self.window.run(seen) != "none", "whoever uses keys must see where they are"

    def acts(self) -> None:
        self.reaches()
        self.presses(ENTER)

    def chooses(self, text: str, options: list[str]) -> None:
        self.reaches()
        self.presses(HOME, *[DOWN] * self._number(text, options))


#: Names of the fields of a screen.
NAMED = "return [...document.querySelectorAll('[id^=\"f-\"]')].map(e => e.id.slice(2))"


def fills_in(person: Person, typed: dict[str, str]) -> None:
    """Fill in what this screen asks, of all that is to be typed; what was, is taken out of it."""
    for key in person.window.run(NAMED):
        if key in typed:
            person.types(key, typed.pop(key))


def walks(person: Person, server: Server, typed: dict[str, str]) -> None:
    """Go the whole way, from a file of records to a verified release."""
    file = next(one.name for one in server.project.iterdir() if one.name.startswith("records"))
    typed = {**typed, "file": file, "title": "A study", "who": "A. Reader"}
    person.goes(server.door)
    person.types("Name of a new plan", "mean")
    person.clicks("Begin a plan")
    for heading in ("What do you have?", "What do you want to publish?", "How private"):
        person.arrives(heading)
        fills_in(person, typed)
        person.clicks("Next")
    person.arrives("For the board")
    fills_in(person, typed)
    person.clicks("Write the plan")
    person.waits_for("SHA-256")
    person.types("Name", typed.pop("who"))
    person.clicks("Sign this plan")
    person.waits_for("A. Reader")
    person.clicks("To the release")
    person.arrives("Touch the data once")
    fills_in(person, typed)
    assert typed == {}, "no screen asks for it"
    person.clicks("Spend")
    person.waits_for("Released.")
    person.clicks("Verify it")
    person.types("The approved plan", "mean.json")
    person.clicks("Verify")
    said = person.waits_for("Every number follows")
    assert "It used the approved plan" in said
    assert person.window.log() == []
