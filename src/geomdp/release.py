"""A release: the private value, and the record that lets anyone check it.

Everything that can fail is settled by :func:`prepare`, before the first bit is drawn. What comes
after the draw is total: a draw that was refused and made again would follow another law than the
one that was accounted for.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.atomic import ROOM, new_folder
from geomdp.mechanisms import Mechanism
from geomdp.noise.entropy import SystemEntropy
from geomdp.planning import Plan, plan_from_json
from geomdp.privacy.guarantee import Guarantee
from geomdp.projection import project_into
from geomdp.serial import Document, array_from_json, array_to_json, is_array
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import PointStatistic
from geomdp.typing import Array
from geomdp.version import software

_log = logging.getLogger(__name__)

#: Version of the manifest: since 2 it states the hash of every file beside it.
MANIFEST_FORMAT = 2
#: Versions that can be read.
MANIFEST_FORMATS = (1, 2)


@dataclass(frozen=True, eq=False)
class Release:
    """A private value and its manifest. Nothing in it leads back to the data.

    Attributes
    ----------
    value
        The released point.
    manifest
        Everything public that a reviewer needs, as a JSON object.
    """

    value: Array
    manifest: Document = field(repr=False)
    _plan: Plan | None = field(default=None, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""
        return Guarantee.from_json(self.manifest["plan"]["derived"]["guarantee"])

    @property
    def plan(self) -> Plan:
        """The plan; of a release that was read from a folder, made again from the manifest."""
        return self._plan or plan_from_json(self.manifest["plan"])

    def save(self, folder: str | Path, also: "Also | None" = None) -> None:
        """Write value, manifest, public arrays and ``report.html``, all or nothing.

        Parameters
        ----------
        folder
            Must not exist. ``plan.release(records, folder=...)`` asks before it draws.
        also
            Called with the release and its folder, to write the value in further formats, which the
            manifest then covers too. It must not raise: the value is drawn.
        """
        with new_folder(folder) as inside:
            inside.mkdir()
            np.save(inside / "value.npy", self.value)
            document = _arrays_to_files(self.manifest, inside)
            (inside / "report.html").write_text(_report(self), encoding="utf-8")
            if also is not None:
                also(self, inside)
            document["files"] = file_hashes(inside)
            text = json.dumps(document, indent=2) + "\n"
            (inside / "manifest.json").write_text(text, encoding="utf-8")


#: Writes a released value into its folder in a further format; must not raise.
Also: TypeAlias = Callable[[Release, Path], None]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A release of which only the draw is missing. Private: it holds the records."""

    plan: Plan
    mechanism: Mechanism
    encoded: Array
    manifest: Document
    ball: Ball | None

    def draw(self) -> Release:
        """Draw from the operating system's randomness; nothing after the first bit can fail."""
        # A caller may have told NumPy to raise where numbers overflow.
        with np.errstate(all="ignore"):
            drawn = self.mechanism.draw(self.plan.calibration, self.encoded, SystemEntropy())
        value = np.asarray(drawn[0])
        if self.ball is not None:
            value = project_into(self.ball, value)
        return Release(value, {**self.manifest, "value": array_to_json(value)}, self.plan)

    def draw_into(self, folder: str | Path, also: "Also | None" = None) -> Release:
        """Draw and save, once it is certain that the folder can be made; see `Release.save`."""
        with new_folder(folder, self.room) as inside:
            release = self.draw()
            with honest_about_spending():
                release.save(inside, also)
        return release

    @property
    def room(self) -> int:
        """Bytes that the folder of this release may need, from public things."""
        return ROOM + 2 * len(json.dumps(self.manifest))


@contextmanager
def honest_about_spending() -> Iterator[None]:
    """Say of a disk that refuses after the draw that starting again is a second release."""
    try:
        yield
    except OSError as error:
        raise GeomdpError(
            f"The value was drawn, but cannot be written ({error.strerror or 'system error'}); "
            "nothing was kept. Its budget counts as spent: a new release spends it again."
        ) from error


def prepare(plan: Plan, mechanism: Mechanism, records: Any, *, project: bool) -> Prepared:
    """Do everything that can fail: records, their number, the ball, and the manifest as text."""
    encoded = _admit(plan, records)
    ball = _public_ball(plan) if project else None
    manifest = {
        "format": MANIFEST_FORMAT,
        "software": software(),
        "plan": plan.to_json(),
        "entropy": SystemEntropy.name,
        "comparison": mechanism.comparison,
        "projected": project,
    }
    _require_text(manifest)
    return Prepared(plan, mechanism, encoded, manifest, ball)


def _admit(plan: Plan, records: Any) -> Array:
    """Let the records in under the plan's policy, and tell the curator what counted as public."""
    admitted = plan.statistic.admit(records)
    if plan.statistic.needs_n and len(admitted.records) != plan.n:
        raise InvalidRecordError(
            f"The plan is for {plan.n} records, but there are {len(admitted.records)}; make a plan "
            "for the true number, which is public."
        )
    encoded = admitted.under(plan.guarantee.invalid)
    for row, reason in sorted(admitted.invalid.items()):
        _log.warning("Not for publication: record %d counts as public: %s.", row, reason)
    return encoded


def _require_text(manifest: Document) -> None:
    try:
        json.dumps(manifest, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise GeomdpError(
            "This plan cannot be written down: a setting of its statistic is no finite number or "
            "text; change it before anything is drawn."
        ) from error


def _public_ball(plan: Plan) -> Ball:
    statistic = plan.statistic
    if not isinstance(statistic, PointStatistic) or statistic.ball is None:
        raise GeomdpError(
            "Only a statistic with a public ball can be projected; use project=False."
        )
    return statistic.ball


def _report(release: Release) -> str:
    """Return the report, or a page that points to the manifest: a value cannot be drawn again."""
    from geomdp.report import bare_html, report_html

    try:
        return report_html(release)
    except Exception:
        return bare_html()


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder but its manifest, by name.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_bytes(b"")
    >>> file_hashes(folder)["a.txt"][:8]
    'e3b0c442'
    """
    files = (file for file in sorted(folder.iterdir()) if file.name != "manifest.json")
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def load_release(folder: str | Path) -> Release:
    """Read a release from its folder and check that its files belong together."""
    path = Path(folder)
    try:
        document = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        manifest = _files_to_arrays(document, path)
        value = np.load(path / "value.npy", allow_pickle=False)
        stated = array_from_json(manifest["value"])
        manifest.pop("files", None)  # a fact about the folder, which `geomdp verify` checks
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GeomdpError(f"The release in {str(folder)!r} cannot be read: {error}.") from error
    if not np.array_equal(value, stated, equal_nan=True):
        raise GeomdpError(f"The value in {str(folder)!r} is not the one its manifest states.")
    return Release(value, manifest)


def _arrays_to_files(item: Any, folder: Path) -> Any:
    """Move arrays out of a document into files named by their hash."""
    if is_array(item):
        array = array_from_json(item)
        digest = hashlib.sha256(array.tobytes()).hexdigest()
        name = f"{digest[:16]}.npy"
        np.save(folder / name, array)
        return {"file": name, "sha256": digest}
    if isinstance(item, dict):
        return {key: _arrays_to_files(value, folder) for key, value in item.items()}
    return item


def _files_to_arrays(item: Any, folder: Path) -> Any:
    """Inverse of :func:`_arrays_to_files`, checking each hash."""
    if isinstance(item, dict) and item.keys() == {"file", "sha256"}:
        array = np.load(folder / Path(item["file"]).name, allow_pickle=False)
        if hashlib.sha256(array.tobytes()).hexdigest() != item["sha256"]:
            raise GeomdpError(f"{item['file']} is not the file that the manifest names.")
        return array_to_json(array)
    if isinstance(item, dict):
        return {key: _files_to_arrays(value, folder) for key, value in item.items()}
    return item
