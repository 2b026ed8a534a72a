"""Whether the parts of a release are those that its plan asks for."""

from collections.abc import Iterator, Mapping
from functools import singledispatch
from pathlib import Path

import numpy as np

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan, load_release
from geomdp.plans.agreement import plan_disagreements
from geomdp.releases.release import Release
from geomdp.releases.verification.problems import Problem
from geomdp.serial import Document, array_from_json


def part_problems(made: Plan, manifest: Document, folder: Path) -> Iterator[Problem]:
    """Compare the plan of each part below a folder with what the whole plan asks for."""
    listed = manifest.get("parts", {})
    parts = {label: load_release(folder / entry["folder"]) for label, entry in listed.items()}
    yield from _expected(made, manifest, parts)


@singledispatch
def _expected(made: Plan, manifest: Document, parts: Mapping[str, Release]) -> Iterator[Problem]:
    raise TypeError(f"No parts are known of a plan of the shape {made.shape}.")


@_expected.register
def _(made: SinglePlan, manifest: Document, parts: Mapping[str, Release]) -> Iterator[Problem]:
    if parts:
        yield Problem("parts", "a single release has none")


@_expected.register
def _(made: ParallelPlan, manifest: Document, parts: Mapping[str, Release]) -> Iterator[Problem]:
    if set(parts) != set(made.plans):
        yield Problem("parts", "they are not the groups of the plan")
        return
    for label, release in parts.items():
        yield from _differs(label, made.plans[label], release)


@_expected.register
def _(made: StagedPlan, manifest: Document, parts: Mapping[str, Release]) -> Iterator[Problem]:
    releases = list(parts.values())
    if list(parts) != [f"stage {i}" for i in range(1, len(made.rule.budgets) + 1)]:
        yield Problem("parts", "they are not the stages of the plan")
        return
    for i, (label, release) in enumerate(parts.items()):
        # The rule is public: each stage's plan follows from what the stages before it released.
        yield from _differs(label, made.rule.plan(releases[:i]), release)
    if not np.array_equal(array_from_json(manifest["value"]), releases[-1].value, equal_nan=True):
        yield Problem("value", "it is not the value of the last stage")


def _differs(label: str, expected: SinglePlan, release: Release) -> Iterator[Problem]:
    stated = release.manifest["plan"]
    because = "follows from the whole plan"
    for field, reason in plan_disagreements(expected.to_json(), stated, because):
        yield Problem(f"parts.{label}.plan.{field}", reason)
