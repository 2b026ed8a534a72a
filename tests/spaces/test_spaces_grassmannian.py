"""Subspaces: projections or bases, of whatever vectors; angles that others compute too."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.statistics import ExtrinsicMean
from geomdp.testing import check_door, check_space

SIZES = [(1, 2), (1, 3), (2, 4), (2, 5), (3, 5), (3, 4)]


def bases_of(k, m, n, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((n, m, k)))[0]


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_subspaces_keep_what_is_relied_on(k, m):
    check_space(dp.Grassmannian(k, m))
    check_door(dp.Grassmannian(k, m), count=30)


def test_a_distance_of_another_unit_is_caught():
    class Wide(dp.Grassmannian):
        def inner(self, p, u, v):
            return 2 * super().inner(p, u, v)

    with pytest.raises(AssertionError):
        check_space(Wide(2, 4))


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_a_frame_of_eigenvectors_is_noticed(k, m):
    """Those of a projection are any basis: another one after the last digit has moved."""

    class Loose(dp.Grassmannian):
        def frame(self, p):
            turn = np.linalg.eigh(p)[1]
            across, inside = turn[:, : -self.k], turn[:, -self.k :]
            pairs = np.einsum("ai,bj->jiab", across, inside).reshape(self.dim, self.m, self.m)
            return pairs + np.swapaxes(pairs, -1, -2)

    if (k, m) != (1, 2):  # there the turns of one direction are all the same
        with pytest.raises(AssertionError, match="last digits"):
            check_space(Loose(k, m))


@pytest.mark.parametrize(("k", "m"), [*SIZES, (7, 40)])
def test_a_projection_that_was_written_down_is_read_bit_for_bit(k, m):
    space = dp.Grassmannian(k, m)
    points = space.canonical(bases_of(k, m, 20))
    np.testing.assert_array_equal(space.canonical(points), points)
    mixed = np.concatenate([points, points[:1] + 1e-9])  # one that is not does not move others
    np.testing.assert_array_equal(space.canonical(mixed)[:-1], points)


def test_moments_of_subspaces_are_read_as_they_were_released(tmp_path):
    space, rng = dp.Grassmannian(2, 4), np.random.default_rng(4)
    center = space.canonical(bases_of(2, 4, 1))[0]
    people = space.canonical(space.frame_exp(center, 0.1 * rng.standard_normal((200, 4)) + 0.2))
    plan = dp.plan(dp.Moments(dp.Ball(space, center, 0.8)), n=200, budget=dp.GDP(20))
    release = plan.release(people, folder=tmp_path / "out")
    again = dp.load_release(tmp_path / "out")
    here, there = (dp.moments_of(one).mean for one in (release, again))
    assert float(space.dist(here, there)) < 1e-12
    middle = space.frame_exp(center, np.full(4, 0.2))
    assert float(space.dist(there, middle)) < 0.1


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_distances_are_those_of_principal_angles(k, m):
    space, bases = dp.Grassmannian(k, m), bases_of(k, m, 30)
    points = space.require(bases)
    for a, b in zip(range(15), range(15, 30), strict=True):
        wanted = np.linalg.norm(subspace_angles(bases[a], bases[b]))
        assert float(space.dist(points[a], points[b])) == pytest.approx(wanted, abs=1e-12)
        moved = space.exp(points[a], space.log(points[a], points[b]))
        np.testing.assert_allclose(moved, points[b], atol=1e-12)


def test_a_subspace_is_one_point_whatever_its_basis():
    space, bases = dp.Grassmannian(2, 5), bases_of(2, 5, 20)
    turned = bases @ bases_of(2, 2, 20, 1)
    np.testing.assert_allclose(space.require(turned), space.require(bases), atol=1e-14)
    np.testing.assert_allclose(space.require(bases), bases @ np.swapaxes(bases, 1, 2), atol=1e-14)
    mean = ExtrinsicMean(space)
    np.testing.assert_allclose(
        mean.estimate(mean.encode(turned)), mean.estimate(mean.encode(bases)), atol=1e-14
    )


def test_what_is_no_subspace_is_the_public_one_and_moves_no_other():
    space, good = dp.Grassmannian(2, 4), bases_of(2, 4, 6)
    bad = good.copy()
    bad[1] *= 1.01
    bad[2, :, 1] = bad[2, :, 0]
    bad[3, 0, 0], bad[4] = np.nan, 1e300
    mean = ExtrinsicMean(space)
    admitted = mean.admit(bad)
    assert sorted(admitted.invalid) == [1, 2, 3, 4]
    np.testing.assert_array_equal(admitted.records[[0, 5]], mean.encode(good)[[0, 5]])
    np.testing.assert_array_equal(admitted.records[1:5], np.stack([mean.public_row] * 4))
    assert np.linalg.norm(mean.public_row) == pytest.approx(1)  # never zero
    with pytest.raises(GeomdpError, match="orthonormal columns"):
        space.require(bad[1])
    with pytest.raises(GeomdpError, match="orthonormal columns"):
        space.require(np.diag([1.0, 1.0, 1.0, 0.0]))  # a projection, onto three dimensions


@pytest.mark.parametrize("size", [(3, 3), (0, 2)])
def test_no_subspace_of_everything_or_nothing(size):
    with pytest.raises(GeomdpError, match="1 <= k < m"):
        dp.Grassmannian(*size)


def test_principal_components_of_many_people_by_command(tmp_path, with_reports):
    """Bases in a csv file of m k numbers a row, planned, released and verified."""
    from typer.testing import CliRunner

    from geomdp.cli import app

    def run(*arguments):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
        assert done.exit_code == 0, done.output
        return done.output

    rng = np.random.default_rng(3)
    people = rng.standard_normal((300, 40, 5)) * [3.0, 2.0, 0.5, 0.5, 0.5]
    bases = np.linalg.svd(people)[2][:, :2].transpose(0, 2, 1)
    data, plan, out = tmp_path / "bases.csv", tmp_path / "plan.json", tmp_path / "out"
    np.savetxt(data, bases.reshape(300, 10), delimiter=",")
    asked = ["--space", "grassmannian:2:5", "--statistic", "extrinsic-mean", "--n", "300"]
    run("plan", *asked, "--mu", "1", "--out", plan)
    run("release", plan, data, "--out", out)
    run("verify", out, "--plan", plan)
    found = dp.extrinsic_of(dp.load_release(out))
    truth = dp.Grassmannian(2, 5).origin(np.empty(0))
    assert float(dp.Grassmannian(2, 5).dist(truth, found.mean)) < 0.1
    assert "projects onto" in (out / "report.html").read_text()


@pytest.mark.parametrize("square", [100, 10**4, 2**48])
def test_bases_of_short_vectors_are_shortened_once_more(square):
    """Vectors that are nearly parallel are as short, and reach too far without it."""
    embedding, side = dp.Grassmannian(3, 7).embedding, int((square / 3) ** 0.5)
    parallel = np.tile(np.eye(1, 7, dtype=np.int64) * side, 3)
    other = np.tile(np.eye(1, 7, 1, dtype=np.int64) * side, 3)

    def apart(rows):
        coordinates = embedding.coordinates(rows.astype(float)) / square
        return np.linalg.norm((coordinates[0] - coordinates[1]) / embedding.profile)

    rows = np.concatenate([parallel, other])
    assert np.max(np.sum(rows**2, axis=1)) <= square
    assert apart(rows) > 1.2 * float(embedding.diameter)
    short = embedding.kept_short(rows, square)
    assert apart(short) <= float(embedding.diameter)
    alone = [embedding.kept_short(row[None], square)[0] for row in rows]
    np.testing.assert_array_equal(short, alone)
