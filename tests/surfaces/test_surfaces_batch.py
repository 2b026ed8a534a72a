"""Batches: order, failures, resuming after an interruption, damaged cache files."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from geomdp.errors import GeomdpError
from geomdp.surfaces import batch as module
from geomdp.surfaces.batch import code_digest, process
from geomdp.surfaces.curves import road as road_module
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.mesh.procedural import procedural_face, template_face
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import RegistrationSettings, Template, make_template

SMALL = Recipe(rings=4, points=12, center=0, registration="homologous")


@pytest.fixture(scope="module")
def template() -> Template:
    return make_template(template_face(), center=0)


@pytest.fixture
def counted(monkeypatch) -> list[str]:
    """Names of the surfaces that were really registered."""
    calls: list[str] = []
    genuine: Callable = road_module.register

    def register(surface, *rest):
        calls.append(surface.name)
        return genuine(surface, *rest)

    monkeypatch.setattr(road_module, "register", register)
    return calls


def closed_box() -> Surface:
    v = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Surface(v, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], "box")


def test_failures_are_listed_and_count_as_the_template(template):
    records = [procedural_face(1), closed_box(), Path("nowhere.obj"), procedural_face(2)]
    found = process(records, template, SMALL, workers=1)
    assert found.failed.tolist() == [False, True, True, False]
    assert [(f.index, f.name) for f in found.failures] == [(1, "box"), (2, "nowhere.obj")]
    assert "box" in found.failures[0].reason
    assert "nowhere.obj" in found.failures[1].reason
    for index in (1, 2):
        np.testing.assert_array_equal(found.curves[index], Road(SMALL, template).template_curves)
    assert not np.allclose(found.curves[0], found.curves[3])


def test_a_template_taken_from_the_records_lets_one_move_the_others(template):
    """What the theorem forbids: what is registered would then depend on who else is there."""
    record, others = procedural_face(1), [procedural_face(2), procedural_face(3)]
    one, other = (
        process([record, beside], make_template(beside, center=0), SMALL, workers=1).curves[0]
        for beside in others
    )
    assert not np.allclose(one, other, atol=1e-6)
    one, other = (process([record, beside], template, SMALL).curves[0] for beside in others)
    np.testing.assert_array_equal(one, other)


def test_an_unexpected_error_does_not_stop_the_others(template, monkeypatch):
    def register(surface, *rest):
        raise RuntimeError("numerical surprise")

    monkeypatch.setattr(road_module, "register", register)
    found = process([procedural_face(1)], template, SMALL, workers=1)
    assert found.failed.all()
    assert "numerical surprise" in found.failures[0].reason


def test_two_workers_give_what_one_gives(template):
    records = [procedural_face(seed) for seed in range(3)]
    recipe = Recipe(rings=4, points=12, center=0)
    quick = RegistrationSettings(degrees=(3,), grid=65, radii=16, angles=48)
    template = Template(template.surface, template.z, quick)
    one, two = (process(records, template, recipe, workers=w) for w in (1, 2))
    np.testing.assert_allclose(two.curves, one.curves, atol=1e-9)
    assert not one.failed.any()


def test_an_interrupted_batch_goes_on_where_it_was(template, counted, tmp_path, monkeypatch):
    records = [procedural_face(seed) for seed in range(4)]
    genuine = module._write

    def interrupt(path, curves):
        if len(counted) == 3:
            raise KeyboardInterrupt
        genuine(path, curves)

    monkeypatch.setattr(module, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        process(records, template, SMALL, workers=1, cache=tmp_path)
    assert len(list(tmp_path.glob("*.npy"))) == 2

    monkeypatch.setattr(module, "_write", genuine)
    counted.clear()
    found = process(records, template, SMALL, workers=1, cache=tmp_path)
    assert counted == ["procedural face 2", "procedural face 3"]
    assert found.reused == 2
    fresh = process(records, template, SMALL, workers=1)
    np.testing.assert_array_equal(found.curves, fresh.curves)


def test_the_cache_knows_record_template_and_settings(template, counted, tmp_path):
    face = procedural_face(1)
    process([face], template, SMALL, workers=1, cache=tmp_path)
    others = [
        (Surface(1.01 * face.vertices + 1, face.faces), template, SMALL),
        (face, template, Recipe(rings=4, points=13, center=0, registration="homologous")),
        (face, Template(template.surface, template.z, RegistrationSettings(beta=0.1)), SMALL),
    ]
    for record, other_template, recipe in others:
        assert process([record], other_template, recipe, workers=1, cache=tmp_path).reused == 0
    assert len(counted) == 4
    assert process([face], template, SMALL, workers=1, cache=tmp_path).reused == 1


def test_every_record_may_have_its_own_centre(template, tmp_path):
    face, recipe = procedural_face(3), Recipe(rings=3, points=8)
    nose = face.vertices[0] + 1e-4
    found = process([face, face], template, recipe, workers=1, cache=tmp_path, centers=[nose, 2500])
    assert found.reused == 0
    assert np.abs(found.curves[0] - found.curves[1]).max() > 0.01
    with pytest.raises(GeomdpError, match="as many centres"):
        process([face], template, recipe, centers=[])


def test_changed_code_does_not_read_old_results(template, tmp_path, monkeypatch):
    process([procedural_face(1)], template, SMALL, workers=1, cache=tmp_path / "cache")
    changed = tmp_path / "surfaces"
    package = Path(module.__file__).parent
    shutil.copytree(package, changed)
    road = changed / Path(road_module.__file__).relative_to(package)
    road.write_text(road.read_text() + "# changed\n")
    monkeypatch.setattr(module, "__file__", str(changed / "batch.py"))
    code_digest.cache_clear()
    again = process([procedural_face(1)], template, SMALL, workers=1, cache=tmp_path / "cache")
    monkeypatch.undo()
    code_digest.cache_clear()
    assert again.reused == 0
    same = process([procedural_face(1)], template, SMALL, workers=1, cache=tmp_path / "cache")
    assert same.reused == 1


def test_a_new_version_has_another_digest(monkeypatch):
    before = code_digest()
    code_digest.cache_clear()
    monkeypatch.setattr(module, "__version__", "999")
    assert code_digest() != before
    code_digest.cache_clear()


def test_one_worker_has_one_blas_thread(template, monkeypatch):
    threads = []

    def register(surface, *rest):
        threads.extend(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")
        raise GeomdpError("seen")

    monkeypatch.setattr(road_module, "register", register)
    with threadpool_limits(2, user_api="blas"):
        process([procedural_face(1)], template, SMALL, workers=1)
    assert set(threads) == {1}


def test_a_damaged_cache_file_is_computed_again(template, tmp_path):
    first = process([procedural_face(1)], template, SMALL, workers=1, cache=tmp_path)
    (file,) = tmp_path.glob("*.npy")
    file.write_bytes(file.read_bytes()[:200])
    again = process([procedural_face(1)], template, SMALL, workers=1, cache=tmp_path)
    assert again.reused == 0
    np.testing.assert_array_equal(again.curves, first.curves)
    assert not list(tmp_path.glob("*.partial"))


def test_a_batch_is_silent_when_it_does_not_run_on_a_terminal(template, capfd):
    process([procedural_face(1)], template, SMALL, workers=1)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_shows_a_bar(template, monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    process([procedural_face(1)], template, SMALL, workers=1)
    assert "surfaces" in capsys.readouterr().err
