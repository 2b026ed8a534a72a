"""Release a cohort: one release a group, and a manifest of what they promise together."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.cohorts import EVERYONE, Cohort, CohortPlan
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.atomic import new_folder
from geomdp.release import MANIFEST_FORMAT, Also, Prepared, Release, honest_about_spending
from geomdp.serial import Document
from geomdp.spaces.admission import as_doubles
from geomdp.spaces.base import Space
from geomdp.statistics.base import Statistic
from geomdp.typing import Array
from geomdp.version import software


@dataclass(frozen=True, eq=False)
class CohortRelease:
    """The releases of all groups; nothing in them leads back to the data."""

    plan: CohortPlan
    releases: Mapping[str, Release]

    def save(self, folder: str | Path, also: Also | None = None) -> None:
        """Write a folder a group, one manifest and one ``report.html``, all or nothing.

        Parameters
        ----------
        folder
            Must not exist.
        also
            As for :meth:`geomdp.Release.save`.
        """
        with new_folder(folder) as inside:
            inside.mkdir()
            listed: dict[str, Document] = {}
            for number, (label, release) in enumerate(self.releases.items(), start=1):
                name = folder_name(number, label)
                release.save(inside / name, also)
                digest = hashlib.sha256((inside / name / "manifest.json").read_bytes()).hexdigest()
                listed[label] = {"folder": name, "sha256": digest}
            document = self.plan.to_json()
            del document["plans"]  # each group's own manifest holds its plan
            folders = {label: str(entry["folder"]) for label, entry in listed.items()}
            report = inside / "report.html"
            report.write_text(_report(self, folders), encoding="utf-8")
            manifest = {**document, "format": MANIFEST_FORMAT, "releases": listed}
            manifest = {"software": software(), **manifest}
            manifest["files"] = {report.name: hashlib.sha256(report.read_bytes()).hexdigest()}
            text = json.dumps(manifest, indent=2) + "\n"
            (inside / "manifest.json").write_text(text, encoding="utf-8")


def _report(release: CohortRelease, folders: Mapping[str, str]) -> str:
    """Return the page above the groups, or one that points to the manifest."""
    from geomdp.report import bare_html
    from geomdp.report.cohort_page import cohort_html

    try:
        return cohort_html(release, folders)
    except Exception:
        return bare_html()


def release_cohort(
    made: CohortPlan,
    records: Array,
    labels: Any = None,
    persons: Any = None,
    *,
    project: bool = False,
    folder: str | Path | None = None,
    also: Also | None = None,
) -> CohortRelease:
    """Touch the data once and release every group.

    Parameters
    ----------
    made
        From :func:`geomdp.cohorts.plan_cohort`.
    records
        All records, first axis one each.
    labels
        Group of each record, where the plan has groups.
    persons
        Who each record belongs to, where the plan states a maximum above 1. Records beyond a
        person's maximum, in the order given, count as the public centre; with private labels they
        are refused (docs/theory/groups.md).
    project, folder
        As for :meth:`geomdp.Plan.release`.
    also
        As for :meth:`geomdp.Release.save`, where a folder is given.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.cohorts import plan_cohort
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = plan_cohort(mean, Cohort({"a": 2, "b": 3}), dp.Pure(100))
    >>> out = release_cohort(made, np.tile([0.0, 0.0, 1.0], (5, 1)), labels=list("ababb"))
    >>> out.releases["b"].value.shape
    (3,)
    """
    records = np.asarray(records)
    members = group_members(made.cohort, len(records), labels)
    if made.cohort.max_per_person > 1:
        records = _limit_persons(made, records, persons)
    elif persons is not None:
        raise GeomdpError("The plan states no maximum of records a person; plan with one.")
    parts = {label: records[members[label]] for label in made.plans}
    # Every group is made ready before the first bit of the first group is drawn.
    ready = {
        label: made.plans[label].prepare(part, project=project) for label, part in parts.items()
    }
    if folder is None:
        return _draw(made, ready)
    with new_folder(folder, sum(one.room for one in ready.values())) as inside:
        release = _draw(made, ready)
        with honest_about_spending():
            release.save(inside, also)
    return release


def _draw(made: CohortPlan, ready: Mapping[str, Prepared]) -> CohortRelease:
    return CohortRelease(made, {label: prepared.draw() for label, prepared in ready.items()})


def group_members(cohort: Cohort, count: int, labels: Any) -> dict[str, NDArray[np.intp]]:
    """Return the places of each group's records, and refuse sizes that differ from the plan.

    Examples
    --------
    >>> places = group_members(Cohort({"a": 1, "b": 2}), 3, ["b", "a", "b"])
    >>> places["b"].tolist()
    [0, 2]
    """
    if not cohort.grouped:
        if labels is not None:
            raise GeomdpError("The plan has no groups; plan with --group for each label.")
        texts = np.full(count, next(iter(cohort.sizes)))
    elif labels is None:
        raise GeomdpError("The plan has groups; name the column of labels with --by.")
    else:
        texts = np.asarray(labels).astype(str)
    unknown = set(texts.tolist()) - set(cohort.sizes)
    if unknown:
        raise InvalidRecordError(
            f"The label {min(unknown)!r} is not in the plan, whose groups are "
            f"{', '.join(cohort.sizes)}."
        )
    found = {label: np.flatnonzero(texts == label) for label in cohort.sizes}
    for label, n in cohort.sizes.items():
        _require_size(label, n, len(found[label]))
    return found


def beyond_maximum(persons: Any, most: int) -> NDArray[np.bool_]:
    """Mark the records that come after a person's first ``most``.

    Examples
    --------
    >>> beyond_maximum(["p", "q", "p", "p"], 2).tolist()
    [False, False, False, True]
    """
    texts = np.asarray(persons).astype(str)
    if np.any(texts == ""):
        raise InvalidRecordError("A record has no person; fill the column of persons.")
    _, owner = np.unique(texts, return_inverse=True)
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    rank = np.empty(len(owner), dtype=np.intp)
    rank[order] = np.arange(len(owner)) - np.searchsorted(ordered, ordered)
    return rank >= most


def folder_name(number: int, label: str) -> str:
    """Name the folder of a group: its number, and what file systems allow of its label.

    >>> folder_name(2, "age 60/70")
    '2-age-60-70'
    """
    return f"{number}-{re.sub(r'[^A-Za-z0-9_]+', '-', label).strip('-')[:40]}".rstrip("-")


def _require_size(label: str, planned: int, found: int) -> None:
    if found == planned:
        return
    whose = "The data" if label == EVERYONE else f"Group {label!r}"
    has = "has no records" if found == 0 else f"has {found} records"
    raise InvalidRecordError(
        f"{whose} {has} where the plan says {planned}; plan for the true sizes, which are public."
    )


def _limit_persons(made: CohortPlan, records: Array, persons: Any) -> Array:
    if persons is None:
        raise GeomdpError(
            f"The plan allows {made.cohort.max_per_person} records a person; name the column of "
            "persons with --person."
        )
    excess = beyond_maximum(persons, made.cohort.max_per_person)
    if made.cohort.private_labels and np.any(excess):
        raise InvalidRecordError(
            f"Someone has more than {made.cohort.max_per_person} records, which private labels do "
            "not allow; state the true public maximum."
        )
    return _neutralise(made.statistic, records, excess)


def _neutralise(statistic: Statistic, records: Array, excess: NDArray[np.bool_]) -> Array:
    """Put the public centre where records do not count: one person at a time, n unchanged."""
    space = getattr(statistic, "space", None)
    if isinstance(space, Space):
        # What is invalid stays so: the plan's policy decides about it, not this.
        points, _ = space.parse(records, instead=np.asarray(np.nan))
    else:
        points = as_doubles(records, statistic.public_record.shape)
    points[excess] = statistic.public_record
    return points
