"""Every kind of question by the command: keys, plan, answers, totals, a folder that verifies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.consortia.consortia_tools import make_group
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app

N, SITES = 60, 3


@dataclass(frozen=True)
class Asked:
    """What is typed, and records to answer it from; with labels they are private."""

    words: tuple[Any, ...]
    records: Callable[[np.random.Generator], np.ndarray]
    far: Callable[[dp.Release, np.ndarray], float]
    labelled: bool = False


def curves(rng):
    return 0.2 * rng.normal(size=(N, 1)) + np.zeros((N, 8))


def directions(rng):
    found = rng.normal([0, 0, 4], 1.0, size=(N, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def plain_mean(release, records):
    return float(np.max(np.abs(release.value - records.mean(axis=0))))


def towards_mean(release, records):
    mean = records.mean(axis=0)
    return float(np.linalg.norm(release.value - mean / np.linalg.norm(mean)))


def of_distributions(release, records):
    mean = np.median(np.asarray(release.value))
    return abs(float(mean) - 1.0) / 10


def of_classes(release, records):
    found = dp.classes_of(release)
    away = [np.linalg.norm(found.means[k] - records[k::2].mean(axis=0)) for k in range(2)]
    return float(max(away))


BALL = ("--center", "origin", "--radius", 1)
ASKED = {
    "classes": Asked(
        ("--space", "euclidean:2", *BALL, "--classes", "a,b", "--second-moments", "none"),
        lambda rng: 0.1 * rng.normal(size=(N, 2)) + np.tile([[0.5, 0], [-0.5, 0]], (N // 2, 1)),
        of_classes,
        labelled=True,
    ),
    "extrinsic mean": Asked(
        ("--space", "sphere:2", "--statistic", "extrinsic-mean"), directions, towards_mean
    ),
    "distributions": Asked(
        ("--space", "distributions:-3:5:8", "--bins=-3:5:8"),
        lambda rng: np.tile([0, 0, 0, 1, 1, 0, 0, 0], (N, 1)) + 0.0,
        of_distributions,
    ),
    "curves": Asked(("--space", "functions:8", *BALL, "--period", "yes"), curves, plain_mean),
    "maps": Asked(
        ("--space", "euclidean:2", *BALL, "--voxels", 3, "--statistic", "tangent-mean"),
        lambda rng: 0.2 * rng.normal(size=(N, 3, 2)),
        plain_mean,
    ),
}


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", ASKED)
def test_sites_answer_every_kind_of_question_by_the_command(tmp_path, name):
    asked = ASKED[name]
    run("plan", *asked.words, "--n", N, "--mu", 400, "--out", tmp_path / "plan.json")
    group = make_group(
        tmp_path, dp.load_plan(tmp_path / "plan.json"), sites=SITES, hubs=2, roster=SITES
    )
    made, boxes, totals = tmp_path / "consortium.json", [], []
    group.plan.save(made)
    records = asked.records(np.random.default_rng(1))
    for number, site in enumerate(group.sites):
        rows = np.arange(N)[number * N // SITES : (number + 1) * N // SITES]
        data, by = saved(tmp_path / site, records[rows], rows, asked.labelled)
        boxes.append(tmp_path / f"{site}.box")
        key = ("--key", tmp_path / f"{site}.key", "--out", boxes[-1])
        run("consortium", "answer", made, data, *key, *by)
    for hub in group.hubs:
        totals.append(tmp_path / f"{hub}.total")
        key = ("--key", tmp_path / f"{hub}.key", "--out", totals[-1])
        run("consortium", "add", made, *boxes, *key)
    run("consortium", "release", made, *totals, "--out", tmp_path / "out")
    assert "It used the approved plan" in run("verify", tmp_path / "out", "--plan", made)
    release = dp.load_release(tmp_path / "out")
    assert release.plan.n == N
    assert asked.far(release, records) < 0.1


def saved(file, records, rows, labelled):
    """Write a site's records: an array, or a table whose last column is a private label."""
    if not labelled:
        np.save(f"{file}.npy", records)
        return f"{file}.npy", ()
    table = [f"{x},{y},{'ab'[row % 2]}" for (x, y), row in zip(records, rows, strict=True)]
    file.with_suffix(".csv").write_text("\n".join(["x,y,dx", *table]) + "\n")
    return f"{file}.csv", ("--by", "dx")
