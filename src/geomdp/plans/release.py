"""A release: the private value, its plan, and the record that lets anyone check it.

Everything that can fail is settled before the first bit is drawn (:class:`Prepared`). What comes
after the draw is total: a draw that was refused and made again would follow another law than the
one that was accounted for.

Value and manifest are written first and kept by the disk; the pages, which are slow and follow from
them, come after. So whatever stops a release leaves no folder, or one that holds all of it.
"""

import hashlib
import json
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.atomic import ROOM, new_folder, sync, write_whole
from geomdp.privacy.guarantee import Guarantee
from geomdp.registry import Registry
from geomdp.runtime.limits import require_plain_file
from geomdp.runtime.notebooks import Shown
from geomdp.runtime.npy_format import read_array
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import (
    Document,
    array_digest,
    array_from_json,
    array_to_json,
    is_array,
    without_numbers,
)
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.plans.base import Plan

_log = logging.getLogger(__name__)

#: Version of the manifest; no other is read. It states the hash of every file beside it, but not of
#: pages, which are made after it, and again by whoever verifies.
MANIFEST_FORMAT = 1
MANIFEST = "manifest.json"
#: File of the value, where there is one for the whole.
VALUE = "value.npy"
#: The value with less error, beside it; and what a manifest says of it.
DENOISED = "denoised"
DENOISED_FILE = f"{DENOISED}.npy"
#: The page that people read.
REPORT = "report.html"

#: Numbers of a value that are shown in a line.
MOST_SHOWN = 9

#: Bytes of the largest array that is read from a folder: what somebody else sent may be a trap.
LARGEST_ARRAY = 1 << 31

#: Pages that are written beside a value, by the name of their file. They come from the layer above:
#: each gets the release and the folders of its parts by label, and is a function of these alone. An
#: empty text is not written.
PAGES: "Registry[Callable[[Release, Mapping[str, str]], str]]" = Registry(
    "page",
    own=(
        "geomdp.report",
        "geomdp.releases.estimates.document",
        "geomdp.releases.estimates.distributions",
        "geomdp.releases.estimates.normative",
        "geomdp.releases.estimates.tables",
    ),
)

#: What follows from a release beyond its value, by name; from the layer above, too.
DERIVED: "Registry[Callable[[Release], Any]]" = Registry(
    "estimate",
    own=(
        "geomdp.plans.clipping",
        "geomdp.releases.estimates.denoised",
        "geomdp.releases.estimates.function_moments",
        "geomdp.releases.estimates.normative",
    ),
)


@dataclass(frozen=True, eq=False, repr=False)
class Release(Shown):
    """A private value with its plan and manifest. Nothing in it leads back to the data.

    Attributes
    ----------
    plan
        What was released, and under which promise.
    value
        The released array; by label where the plan is by group; the last stage's where it has
        stages.
    manifest
        Everything public that a reviewer needs, as a JSON object.
    parts
        The releases of the groups by label, or of the stages by number.
    """

    plan: "Plan"
    value: Any
    manifest: Document
    parts: Mapping[str, "Release"] = field(default_factory=dict)

    def __repr__(self) -> str:
        asked = self.plan.statistic.describe()
        return f"<Release: {asked}; {self.guarantee.budget!r}; {_value_words(self.value)}>"

    def __str__(self) -> str:
        values = self.value if isinstance(self.value, Mapping) else {"": self.value}
        return "\n".join(
            [
                f"Release      {self.plan.statistic.describe()}",
                *(
                    f"Value        {f'{label} ' * bool(label)}{_value_words(one)}"
                    for label, one in values.items()
                ),
                f"Guarantee    {self.guarantee}",
                f"Error        {self.plan.expected_error:.6g} expected",
            ]
        )

    @property
    def answer(self) -> "Release":
        """The last stage of a release in stages, which holds its value; any other is its own."""
        stages = list(self.parts.values()) if self.plan.one_value else []
        return stages[-1] if stages else self

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""
        return self.plan.guarantee

    @property
    def regression(self) -> Any:
        """The curve of a ``Regression``: see :func:`geomdp.releases.estimates.regression_of`."""
        return DERIVED.named("regression")(self)

    @property
    def denoised(self) -> Any:
        """The value with less error, from it and the plan alone; free.

        Noise on three coordinates or more about a public centre is taken off in part, by the rule
        that ``plan.denoising`` names, with what is known of its error; mean functions and surfaces
        are smoothed again, distributions fitted. Where no rule is known it is the value: projected
        values, laws that are no noise on coordinates (Laplace and Gaussian noise on a curved space
        itself, K-norm gradients), noise that may go round a space, and what ``plan.as_drawn`` names
        (docs/theory/denoising.md).
        """
        return DERIVED.named("denoised")(self)

    @property
    def clipping(self) -> Any:
        """What a release says of clipping (``Clipped``): :class:`geomdp.plans.clipping.Clipping`.

        None where it was not asked.
        """
        return DERIVED.named("clipping")(self)

    @property
    def denoised_region(self) -> Any:
        """Where the statistic lies in 95 of 100 releases, about :attr:`denoised`."""
        return DERIVED.named("denoised region")(self)

    @undisturbed()
    def predict(self, /, **covariates: Any) -> Array:
        """Return the point of a released curve at these covariates, such as ``age=50``."""
        point: Array = self.regression.predict(**covariates)
        return point

    @undisturbed()
    def score(self, people: Any) -> Array:
        """Return centiles of new people by a released normative region, 0 in its middle.

        See :class:`geomdp.NormativeRegion`.
        """
        centiles: Array = DERIVED.named("normative")(self).score(people)
        return centiles

    @undisturbed()
    def save(self, folder: str | Path, also: "Also | None" = None) -> None:
        """Write value, manifest and public arrays, all or nothing; then ``report.html``.

        Parameters
        ----------
        folder
            Must not exist. ``plan.release(records, folder=...)`` asks before it draws.
        also
            Called with each release that has one value, and its folder, to write the value in
            further formats, which the manifest then covers too. It must not raise: the value is
            drawn.
        """
        with new_folder(folder) as inside:
            write_content(self, inside, also)
        write_pages(self, Path(folder))


def _value_words(value: Any) -> str:
    """Say a value in a line: its numbers where they are few, else its shape."""
    if isinstance(value, Mapping):
        return f"values of {', '.join(map(str, value))}"
    if value.size > MOST_SHOWN:
        return f"a value of shape {value.shape}"
    return " ".join(np.array2string(value, precision=6).split())


#: Writes a released value into its folder in a further format; must not raise.
Also: TypeAlias = Callable[[Release, Path], None]


class Prepared(ABC):
    """A release of which only the draw is missing. Private: it holds the records."""

    def settle(self) -> None:
        """Ask other machines for all that the first draw needs: while nothing is spent or drawn."""
        return

    @abstractmethod
    def draw(self) -> Release:
        """Draw from the operating system's randomness; nothing after the first bit can fail."""

    #: What the manifest says before the value is drawn.
    manifest: Document

    @property
    def stated(self) -> Document:
        """The plan that the manifest will state."""
        plan: Document = self.manifest["plan"]
        return plan

    @property
    @abstractmethod
    def room(self) -> int:
        """Bytes that the folder of this release may need, from public things."""

    @undisturbed()
    def draw_into(
        self, folder: str | Path, also: "Also | None" = None, read_by: str | None = None
    ) -> Release:
        """Draw and save, once it is certain that the folder can be made; see `Release.save`.

        ``read_by`` names the package, if not this one, that read the records: the promise rests on
        its reading each by itself.
        """
        release = self.draw_content_into(folder, also, read_by)
        write_pages(release, Path(folder))
        return release

    def draw_content_into(
        self, folder: str | Path, also: "Also | None" = None, read_by: str | None = None
    ) -> Release:
        """Draw and save all but the pages."""
        with new_folder(folder, self.room) as inside:
            release = self.draw()
            if read_by is not None:
                release = replace(release, manifest={**release.manifest, "read_by": read_by})
            with honest_about_spending():
                write_content(release, inside, also)
        return release


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


def require_text(manifest: Document) -> None:
    """Refuse a manifest that cannot be written down, while nothing is drawn."""
    try:
        json.dumps(manifest, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise GeomdpError(
            "This plan cannot be written down: a setting of its statistic is no finite number or "
            "text; change it before anything is drawn."
        ) from error


def room_for(manifest: Document) -> int:
    """Return the bytes that a release with this manifest may need."""
    return ROOM + 2 * len(json.dumps(manifest))


def folder_name(number: int, label: str) -> str:
    """Name the folder of a part: its number, and what file systems allow of its label."""
    return f"{number}-{re.sub(r'[^A-Za-z0-9_]+', '-', label).strip('-')[:40]}".rstrip("-")


def part_folders(release: Release) -> dict[str, str]:
    """Return the names of the folders of a release's parts, by label."""
    return {label: folder_name(number, label) for number, label in enumerate(release.parts, 1)}


def write_content(release: Release, folder: Path, also: "Also | None" = None) -> None:
    """Write a release and its parts below it, without pages, and have the disk keep them."""
    _write(release, folder, also)
    sync(folder)


def _write(release: Release, folder: Path, also: "Also | None") -> None:
    """Write values, arrays and manifests; each folder has its own manifest."""
    folder.mkdir()
    folders = part_folders(release)
    for label, part in release.parts.items():
        _write(part, folder / folders[label], also)
    document = arrays_to_files(release.manifest, folder)
    if folders:
        document["parts"] = {
            label: {"folder": name, "sha256": digest(folder / name / MANIFEST)}
            for label, name in folders.items()
        }
    if "value" in release.manifest:
        np.save(folder / VALUE, release.value)
        if also is not None:
            also(release, folder)
    if DENOISED in release.manifest:
        np.save(folder / DENOISED_FILE, as_one_array(release.denoised))
    document["files"] = file_hashes(folder)
    text = json.dumps(document, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def as_one_array(denoised: Any) -> Array:
    """Return a denoised value as it is stored: of groups one row each, in the plan's order."""
    grouped = isinstance(denoised, Mapping)
    return np.stack(list(denoised.values())) if grouped else np.ascontiguousarray(denoised)


def write_pages(release: Release, folder: Path) -> None:
    """Write the pages of a release and of its parts; a disk that refuses is told, never raised."""
    try:
        _write_pages(release, folder)
    except OSError as error:
        _log.warning(
            "The release in %r is complete, but its report cannot be written (%s). Do not release "
            "again: make room, and then: geomdp report %s",
            str(folder),
            error.strerror or "system error",
            folder,
        )


def _write_pages(release: Release, folder: Path) -> None:
    folders = part_folders(release)
    for label, part in release.parts.items():
        _write_pages(part, folder / folders[label])
    for name, text in pages_of(release).items():
        write_whole(folder / name, text)


def pages_of(release: Release) -> dict[str, str]:
    """Return the pages of a release by the name of their file: functions of public things alone."""
    folders = part_folders(release)
    made = {name: make(release, folders) for name, make in PAGES.items()}
    return {name: text for name, text in made.items() if text}


def fingerprint(release: Release) -> str:
    """Return a SHA-256 of what a release states, the same in memory and read from its folder."""
    inside = {label: fingerprint(part) for label, part in release.parts.items()}
    return fingerprint_of(release.manifest, inside)


def fingerprint_of(manifest: Document, inside: Mapping[str, str]) -> str:
    """Return the fingerprint of a manifest, and of those of its parts."""
    stated = {k: v for k, v in manifest.items() if k not in ("parts", "files")}
    text = json.dumps([without_numbers(stated), dict(inside)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def digest(file: Path) -> str:
    """Return the SHA-256 of a plain file, however large."""
    require_plain_file(file)
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder but its manifest, by name."""
    files = (f for f in sorted(folder.iterdir()) if f.is_file() and f.name != MANIFEST)
    return {file.name: digest(file) for file in files}


def stored_array(file: Path) -> Array:
    """Read an array of a release's folder; whatever is wrong with the file is one sentence."""
    try:
        require_plain_file(file, LARGEST_ARRAY)
        with file.open("rb") as stream:
            return read_array(stream, file.stat().st_size)
    # A damaged header fails in the ways of a parser of Python.
    except Exception as error:
        raise GeomdpError(f"The file {file.name} is missing or damaged.") from error


def arrays_to_files(item: Any, folder: Path) -> Any:
    """Move arrays out of a document into files named by their hash."""
    if is_array(item):
        array = array_from_json(item)
        name = array_digest(array)
        np.save(folder / f"{name[:16]}.npy", array)
        return {"file": f"{name[:16]}.npy", "sha256": name}
    if isinstance(item, dict):
        return {key: arrays_to_files(value, folder) for key, value in item.items()}
    return item


def files_to_arrays(item: Any, folder: Path) -> Any:
    """Inverse of :func:`arrays_to_files`, checking each hash."""
    if isinstance(item, dict) and item.keys() == {"file", "sha256"}:
        array = stored_array(folder / Path(item["file"]).name)
        if array_digest(array) != item["sha256"]:
            raise GeomdpError(f"{item['file']} is not the file that the manifest names.")
        return array_to_json(array)
    if isinstance(item, dict):
        return {key: files_to_arrays(value, folder) for key, value in item.items()}
    return item
