"""The demonstration: ``geomdp demo FOLDER`` plans and releases data that come along.

Leaves one page, ``index.html``, from which everything else is reached. A second run replaces what
an earlier run made and keeps every other file of the folder.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from geomdp.cli.demo_examples import EXAMPLES, Example
from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.report import plan_html
from geomdp.report.demo_index import Card, index_html

#: Names the files that a run made, so that the next one replaces only those.
LIST = ".geomdp-demo.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; return the exit code.

    Examples
    --------
    >>> main([])
    2
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("Usage: python -m geomdp.cli.demonstration FOLDER", file=sys.stderr)
        return 2
    try:
        index = _with_status(arguments[0]) if sys.stderr.isatty() else make_demo(arguments[0])
    except (GeomdpError, OSError) as error:
        print(f"The demo stopped: {error}", file=sys.stderr)
        return 1
    print(f"Open {index} in a browser.")
    return 0


def make_demo(
    folder: str | Path,
    tell: Callable[[str], None] = lambda text: None,
    examples: Sequence[Example] = EXAMPLES,
) -> Path:
    """Write the demonstration into a folder and return its index page.

    Parameters
    ----------
    folder
        New or empty, or left by an earlier run.
    tell
        Called with a sentence before each step.
    examples
        What it shows, one card each.
    """
    target = Path(folder).absolute()
    mine = _made_before(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as partial:
        fresh = Path(partial) / "fresh"
        fresh.mkdir()
        cards = [_card(example, fresh, tell) for example in examples]
        (fresh / "index.html").write_text(index_html(cards), encoding="utf-8")
        listed = json.dumps(sorted(_files(fresh)), indent=1) + "\n"
        (fresh / LIST).write_text(listed, encoding="utf-8")
        if target.exists():
            _keep_others(target, fresh, mine)
            target.rename(Path(partial) / "old")
        fresh.rename(target)
    return target / "index.html"


def _card(example: Example, folder: Path, tell: Callable[[str], None]) -> Card:
    """Plan, release and report one example."""
    tell(f"{example.title}: planning")
    made, records = example.make()
    place = folder / example.name
    place.mkdir()
    made.save(place / "plan.json")
    (place / "plan.html").write_text(plan_html(made), encoding="utf-8")
    tell(f"{example.title}: releasing")
    release = made.release(records)
    release.save(place / "release")
    return Card(example.name, example.title, example.sentence, made, release)


def _with_status(folder: str) -> Path:
    from rich.console import Console

    with Console(stderr=True).status("Demo") as status:
        return make_demo(folder, tell=status.update)


def _made_before(target: Path) -> set[str]:
    """Return the files of an earlier run; refuse a folder that is not the demo's."""
    if not target.exists():
        return set()
    try:
        made = read_json(target / LIST)
        return {LIST, *(str(name) for name in made)}
    except (OSError, ValueError, TypeError):
        if target.is_dir() and not any(target.iterdir()):
            return set()
        raise GeomdpError(
            f"{str(target)!r} exists and was not made by the demo; choose a new folder."
        ) from None


def _keep_others(old: Path, fresh: Path, mine: set[str]) -> None:
    """Copy files that no earlier run made, so that replacing the folder loses none."""
    for name in _files(old) - mine:
        place = fresh / name
        if place.exists():
            raise GeomdpError(f"{str(old / name)!r} was not made by the demo; move it away first.")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(old / name, place)


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    sys.exit(main())
