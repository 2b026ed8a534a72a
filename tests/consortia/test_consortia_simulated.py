"""Consortia tried out on public records, and the round over Dask."""

from functools import partial

import numpy as np
import pytest
from tests.consortia.consortia_tools import make_group, records, usual_plan
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.consortia import answers_of, simulate


def test_a_simulation_lives_a_round_with_its_faults():
    found = simulate(usual_plan(), records(), sites=8, seed=1)
    assert len(found.release.manifest["consortium"]["roster"]) == 7
    assert list(found.refused) == [
        *("a copied box", "a box of another plan", "a box that its site did not sign"),
        *("a box of another version", "a short roster", "a site that lies", "site7 comes late"),
    ]
    assert "lied" in found.refused["a site that lies"]
    assert "another version" in found.refused["a box of another version"]
    assert found.release.plan.n == len(records()) - 7  # the first box, sent twice, counts once
    curator, ours, pooled = found.errors.values()
    assert ours / curator == pytest.approx((8 / 6) ** 0.5, rel=0.08)
    assert pooled / curator == pytest.approx(8**0.5, rel=0.1)
    assert "of which 7 are on the roster" in str(found)


def test_a_pure_simulation():
    flat = dp.Ball(dp.Euclidean(1), [0.0], 1.0)
    asked = dp.plan(dp.FrechetMean(flat), n=40, budget=dp.Pure(1), mechanism="laplace")
    data = np.linspace(-0.5, 0.5, 40)[:, None]
    found = simulate(asked, data, sites=4, aggregators=2, repeats=300)
    curator, ours = found.errors.values()
    # In one dimension all sites' shares are Laplace noise, a little wider than one curator's.
    assert curator < ours < 2.2 * curator


def test_the_command_simulates(tmp_path):
    np.save(tmp_path / "records.npy", records())
    usual_plan().save(tmp_path / "plan.json")
    words = ["consortium", "simulate", str(tmp_path / "plan.json"), str(tmp_path / "records.npy")]
    done = CliRunner().invoke(app, [*words, "--sites", "5", "--aggregators", "2"])
    assert done.exit_code == 0, done.output
    assert "each site alone, pooled" in done.output
    few = CliRunner().invoke(app, [*words, "--sites", "50"])
    assert few.exit_code == 1
    assert "use fewer sites" in few.output


def read_part(file):
    return np.load(file)


def test_sites_answer_over_dask_by_the_same_function(tmp_path):
    import distributed

    group = make_group(tmp_path, sites=3, hubs=2, roster=3)
    for name, part in group.parts().items():
        np.save(tmp_path / f"{name}.npy", part)
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = sorted(client.scheduler_info()["workers"])
        sites = {
            name: (worker, partial(read_part, tmp_path / f"{name}.npy"), tmp_path / f"{name}.key")
            for name, worker in zip(group.sites, workers, strict=True)
        }
        boxes = answers_of(client, group.plan, sites)
        assert answers_of(client, group.plan, sites) == boxes
    release = group.release(
        group.totals([group.file(f"{name}.box", text) for name, text in boxes.items()])
    )
    assert release.plan.n == len(records())
