"""What lies in a project's folder: records, plans, signatures, releases, ledgers, drafts.

A project is a folder, and nothing else: whatever the studio shows is read from its files, and what
it writes are the files that the command writes. A path that leads out, by its name or by a link,
is not there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError
from geomdp.io.atomic import UNFINISHED
from geomdp.io.documents import read_json
from geomdp.plans import load_plan, load_release
from geomdp.plans.release import MANIFEST
from geomdp.plans.signing import SIGNATURE, Signature, load_signature

if TYPE_CHECKING:
    from geomdp.ledger import Ledger
    from geomdp.plans import Plan

#: How the names of files end.
DRAFT, PLAN, LEDGER = ".draft.json", ".json", ".db"
#: How the names of files end that hold no records, and are nothing that is listed.
NO_RECORDS = (
    DRAFT,
    SIGNATURE,
    ".html",
    ".heads",
    ".key",
    ".pem",
    ".pub",
    "-journal",
    "-wal",
    "-shm",
)
#: Plans and signatures have fewer bytes; what has more is neither.
LARGEST_DOCUMENT = 64 << 20
#: What the name of something new may be, on any system and in any command.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
#: Entries of a folder that are looked at.
MOST_ENTRIES = 2000


class NotThereError(GeomdpError):
    """There is no such file in the project."""


@dataclass(frozen=True)
class Planned:
    """A plan of the project, with how far it is."""

    file: str
    plan: "Plan"
    signatures: tuple[Signature, ...]
    releases: tuple[str, ...]

    @property
    def state(self) -> str:
        """Draft, signed, or released."""
        if self.releases:
            return "released"
        return "signed" if self.signatures else "draft"


class Folder:
    """The files of a project."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise GeomdpError(f"There is no folder {str(root)!r}; make it, or name another.")

    def path(self, name: str) -> Path:
        """Return a path inside the folder, relative to it.

        Raises ``NotThereError`` if it leads out of the folder, by its name or by a link.
        """
        try:
            inside = (self.root / name).resolve().relative_to(self.root)
        except (ValueError, OSError, RuntimeError):
            raise NotThereError(f"{name!r} is not in the project's folder.") from None
        return inside

    def there(self, name: str) -> Path:
        """Return the path of a file or folder that is there."""
        inside = self.path(name)
        if not name or "\0" in name or not (self.root / inside).exists():
            raise NotThereError(f"There is no {name!r} in the project's folder.")
        return inside

    def new(self, name: str, ending: str = "") -> Path:
        """Return the path of something to be made.

        Raises ``GeomdpError`` if the name is not plain, or taken.
        """
        if not NAME.fullmatch(name):
            raise GeomdpError(
                f"{name!r} is no plain name; write letters, figures, - and _ without spaces."
            )
        target = self.root / f"{name}{ending}"
        if target.exists() or target.is_symlink():
            raise GeomdpError(f"{target.name!r} exists; choose a new name.")
        return Path(target.name)

    def entries(self) -> list[Path]:
        """Return what lies in the folder, without links that lead out and hidden files."""
        found = []
        for one in sorted(self.root.iterdir())[:MOST_ENTRIES]:
            hidden = str(one.name).startswith(".") or one.name == UNFINISHED
            if not hidden and one.resolve().is_relative_to(self.root):
                found.append(one.relative_to(self.root))
        return found

    def names(self) -> list[str]:
        """Return the names of these."""
        return [str(one) for one in self.entries()]

    def drafts(self) -> list[str]:
        """Return the names of plans that are being written."""
        return [one.removesuffix(DRAFT) for one in self.names() if one.endswith(DRAFT)]

    def ledgers(self) -> list[str]:
        """Return the ledgers of the project."""
        return [one.name for one in self.entries() if one.suffix == LEDGER]

    def ledger(self, name: str) -> "Ledger":
        """Open a ledger; its key lies beside it, or where the command looks for it."""
        from geomdp.ledger import Ledger

        where = self.root / self.there(name)
        key = where.with_suffix(".key")
        return Ledger(where, key if key.is_file() else None)

    def releases(self) -> list[str]:
        """Return the releases of the project, those not inside another."""
        return [one.name for one in self.entries() if (self.root / one / MANIFEST).is_file()]

    def signatures(self) -> list[tuple[str, Signature]]:
        """Return the signatures that can be read."""
        found = []
        for file in self.names():
            made = _tried(load_signature, self.root / file) if file.endswith(SIGNATURE) else None
            found += [] if made is None else [(file, made)]
        return found

    def plans(self) -> list[Planned]:
        """Return the plans, each with its signatures and releases."""
        signed = [one for _, one in self.signatures()]
        made = {name: self._stated(name) for name in self.releases()}
        found = []
        for file in self._documents():
            plan = _tried(load_plan, self.root / file)
            if plan is None:
                continue
            own = tuple(one for one in signed if one.plan == plan.hash)
            out = tuple(name for name, stated in made.items() if stated == plan.hash)
            found.append(Planned(file.name, plan, own, out))
        return found

    def plan(self, name: str) -> "Plan":
        """Read a plan."""
        return load_plan(self.root / self.there(name))

    def _documents(self) -> Iterator[Path]:
        for file in self.names():
            other = file.endswith((DRAFT, SIGNATURE)) or not file.endswith(PLAN)
            if not other and (self.root / file).stat().st_size <= LARGEST_DOCUMENT:
                yield Path(file)

    def _stated(self, name: str) -> str:
        release = _tried(load_release, self.root / name)
        return "" if release is None else str(release.plan.whole.hash)

    def sources(self) -> list[str]:
        """Return what may hold records: all that is nothing else."""
        other = {*self.ledgers(), *self.releases(), *map(str, self._documents())}
        return [one for one in self.names() if one not in other and not one.endswith(NO_RECORDS)]

    def read_draft(self, name: str) -> dict[str, Any]:
        """Read what was typed for a plan so far."""
        found = read_json(self.root / self.there(f"{name}{DRAFT}"))
        if not isinstance(found, dict):
            raise GeomdpError(f"{name}{DRAFT} is no draft of a plan.")
        return found


def _tried(read: Any, file: Path) -> Any:
    """Read a file; None where it is not of that kind, or damaged: others are shown all the same."""
    try:
        return read(file)
    except (ValueError, OSError, RecursionError):
        return None
