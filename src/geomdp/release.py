"""A release: the private value, and the record that lets anyone check it."""

import hashlib
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Mechanism
from geomdp.noise.entropy import SystemEntropy
from geomdp.planning import Plan, plan_from_json
from geomdp.privacy.guarantee import Guarantee
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import PointStatistic
from geomdp.typing import Array

#: Version of the manifest.
MANIFEST_FORMAT = 1


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

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""
        return Guarantee.from_json(self.manifest["plan"]["derived"]["guarantee"])

    @property
    def plan(self) -> Plan:
        """The plan, made again from the manifest."""
        return plan_from_json(self.manifest["plan"])

    def save(self, folder: str | Path) -> None:
        """Write value, manifest, public arrays and ``report.html``, all or nothing."""
        from geomdp.report import report_html

        target = Path(folder)
        if target.exists():
            raise GeomdpError(f"{str(folder)!r} exists; choose a new folder for the release.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as partial:
            inside = Path(partial) / "release"
            inside.mkdir()
            np.save(inside / "value.npy", self.value)
            document = _arrays_to_files(self.manifest, inside)
            text = json.dumps(document, indent=2) + "\n"
            (inside / "manifest.json").write_text(text, encoding="utf-8")
            (inside / "report.html").write_text(report_html(self), encoding="utf-8")
            inside.replace(target)


def make_release(plan: Plan, mechanism: Mechanism, encoded: Array, *, project: bool) -> Release:
    """Draw from the operating system's randomness and write the manifest."""
    from geomdp import __version__

    # Asked before anything is drawn, so that a refusal costs nothing.
    ball = _public_ball(plan) if project else None
    entropy = SystemEntropy()
    value = mechanism.draw(plan.calibration, encoded, entropy)[0]
    if ball is not None:
        value = ball.clip(value[None])[0]
    manifest = {
        "format": MANIFEST_FORMAT,
        "software": f"geomdp {__version__}",
        "plan": plan.to_json(),
        "entropy": entropy.name,
        "comparison": mechanism.comparison,
        "projected": project,
        "value": array_to_json(value),
    }
    return Release(value, manifest)


def _public_ball(plan: Plan) -> Ball:
    statistic = plan.statistic
    if not isinstance(statistic, PointStatistic) or statistic.ball is None:
        raise GeomdpError(
            "Only a statistic with a public ball can be projected; use project=False."
        )
    return statistic.ball


def load_release(folder: str | Path) -> Release:
    """Read a release from its folder and check that its files belong together."""
    path = Path(folder)
    try:
        document = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        manifest = _files_to_arrays(document, path)
        value = np.load(path / "value.npy", allow_pickle=False)
        stated = array_from_json(manifest["value"])
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise GeomdpError(f"The release in {str(folder)!r} cannot be read: {error}.") from error
    if not np.array_equal(value, stated):
        raise GeomdpError(f"The value in {str(folder)!r} is not the one its manifest states.")
    return Release(value, manifest)


def _is_array(item: Any) -> bool:
    return isinstance(item, dict) and item.keys() == {"dtype", "shape", "base64"}


def _arrays_to_files(item: Any, folder: Path) -> Any:
    """Move arrays out of a document into files named by their hash."""
    if _is_array(item):
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
