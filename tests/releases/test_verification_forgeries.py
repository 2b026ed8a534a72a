"""Forgeries of a folder, all hashes recomputed: each is found, or named as impossible to find.

Those that nobody can find without the ledger or the approved plan are named in
docs/reference/verification.md.
"""

import base64
import json
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from forgery_tools import (
    KINDS,
    edit,
    exchange_value,
    make,
    read,
    rehash,
    report_again,
    single,
    write,
)

import geomdp as dp
from geomdp.io.formats import FORMATS
from geomdp.releases.verification import verify

REPORT = "report.html"
MADE: dict[tuple[str, bool], Path] = {}


@pytest.fixture
def folder_of(tmp_path, tmp_path_factory, request):
    """Return what copies the release of a kind; each is made once, with its pages or without."""

    def copied(kind):
        key = kind, "with_reports" in request.fixturenames
        if key not in MADE:
            MADE[key] = make(kind, tmp_path_factory.mktemp("made") / kind)
        return shutil.copytree(MADE[key], tmp_path / kind)

    return copied


def replace(file, old, new, count=1):
    """Change a text that is there: a forgery that changes nothing proves nothing."""
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new, count))


def fields(verdict):
    return [problem.field for problem in verdict.problems]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("with_reports")
def test_what_is_honest_has_neither_problem_nor_remark(folder_of, kind):
    verdict = verify(folder_of(kind))
    assert verdict.problems == ()
    assert verdict.remarks == ()


# --- pages ------------------------------------------------------------------------------------


def numbers_moved(pattern):
    """Change the first number that follows a pattern by a tenth."""

    def forge(folder):
        text = (folder / REPORT).read_text()
        found = re.search(pattern + r"(-?\d+\.\d+)", text)
        assert found is not None
        moved = f"{float(found[1]) * 1.1 + 0.1:.6f}"
        start, end = found.span(1)
        (folder / REPORT).write_text(text[:start] + moved + text[end:])

    return forge


def says(old, new, page=REPORT):
    return lambda folder: replace(folder / page, old, new)


def other_picture(folder):
    """Exchange the first picture of a surface for its mirror image."""
    import io

    from matplotlib.image import imread, imsave

    text = (folder / REPORT).read_text()
    found = re.search(r"base64,([A-Za-z0-9+/=]+)", text)
    picture = imread(io.BytesIO(base64.b64decode(found[1])), format="png")
    buffer = io.BytesIO()
    imsave(buffer, picture[:, ::-1], format="png")
    again = base64.b64encode(buffer.getvalue()).decode()
    (folder / REPORT).write_text(text.replace(found[1], again, 1))


def other_mesh(folder):
    text = (folder / REPORT).read_text()
    found = re.search(r'data-vertices="([^"]+)"', text)
    steps = np.frombuffer(base64.b64decode(found[1]), dtype="<i2").copy()
    steps[:60] += 500
    again = base64.b64encode(steps.tobytes()).decode()
    (folder / REPORT).write_text(text.replace(found[1], again, 1))


def estimates(change):
    def forge(folder):
        document = json.loads((folder / "estimates.json").read_text())
        change(document)
        (folder / "estimates.json").write_text(json.dumps(document, indent=1) + "\n")

    return forge


PAGES = {
    "a smaller epsilon": ("single", says("ε = 1", "ε = 0.1"), REPORT),
    "a page of one's own": (
        "single",
        lambda folder: (folder / REPORT).write_text("<h1>We kept all promises</h1>"),
        REPORT,
    ),
    "an empty page": ("single", lambda folder: (folder / REPORT).write_text(""), REPORT),
    "a sentence more": ("single", says("</body>", "<p>Reviewed by the board.</p></body>"), REPORT),
    "a script": ("single", says("</body>", "<script>alert(1)</script></body>"), REPORT),
    "a link": ("single", says("</body>", '<a href="x.html"></a></body>'), REPORT),
    "a smaller error": ("single", numbers_moved(r"The error by noise is [^0-9]*"), REPORT),
    "a line elsewhere": ("single", numbers_moved(r'<path d="M '), REPORT),
    "a hidden comment": ("single", says("</body>", "<!-- records: 17 --></body>"), REPORT),
    "a report of a group": ("groups", says("ε = 1", "ε = 0.5", "1-a/report.html"), "1-a/report"),
    "a page of groups": ("groups", says("ε = 1", "ε = 0.5"), REPORT),
    "a link to another group": ("groups", says("1-a/report.html", "2-b/report.html"), REPORT),
    "a report of a stage": (
        "stages",
        says("</body>", "<p>more</p></body>", "2-stage-2/report.html"),
        "2-stage-2/report",
    ),
    "a page of stages": ("stages", says("The stages", "The only stage"), REPORT),
    "a table of moments": ("moments", says("</table>", "<tr><td>0.5</td></tr></table>"), REPORT),
    "a mean that is not released": (
        "moments",
        estimates(lambda d: d["mean"].__setitem__(0, d["mean"][0] + 0.01)),
        "estimates.json",
    ),
    "words about moments": ("moments", estimates(lambda d: d.update(says="No noise.")), "estima"),
    "points that nobody drew": (
        "moments",
        estimates(lambda d: d["synthetic"]["points"][0].__setitem__(0, 0.5)),
        "estimates.json",
    ),
    "another direction": (
        "moments",
        estimates(lambda d: d["principal_geodesics"][0]["direction"].reverse()),
        "estimates.json",
    ),
    "a number twice": ("moments", says('"n": 600,', '"n": 5, "n": 600,', "estimates.json"), "est"),
    "a curve of a regression": ("regression", numbers_moved(r'<path d="M '), REPORT),
    "a budget of one digit": ("single", says("ε = 1, pure", "ε = 0e0, pure"), REPORT),
    "a budget in decimals": ("single", says("ε = 1, pure", "ε = 0.8, pure"), REPORT),
    "a number with an exponent": ("single", says("600 records", "1e6 records"), REPORT),
    "a report of a map": ("maps", says("μ = 1", "μ = 0.1"), REPORT),
    "a picture of a face": ("surfaces", other_picture, REPORT),
    "a face to turn": ("surfaces", other_mesh, REPORT),
    "a mean curve": ("curves", numbers_moved(r'<path d="M '), REPORT),
    "estimates where there are none": (
        "single",
        lambda folder: (folder / "estimates.json").write_text("{}"),
        "estimates.json",
    ),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("with_reports")
def test_a_forged_page_is_found(folder_of, name):
    kind, forge, wanted = PAGES[name]
    folder = folder_of(kind)
    forge(folder)
    rehash(folder)
    assert any(field.startswith(wanted) for field in fields(verify(folder)))


def another_last_digit(folder, name):
    """Change the last digit of the longest number of a page, as another processor might."""
    text = (folder / name).read_text()
    found = max(re.findall(r"(?<![\d.])\d\.\d{4,17}(?![\d.])", text), key=len)
    replace(folder / name, found, found[:-1] + str((int(found[-1]) + 1) % 10))


@pytest.mark.parametrize("name", [REPORT, "value.csv"])
@pytest.mark.usefixtures("with_reports")
def test_what_could_be_rounding_is_never_passed_over_in_silence(folder_of, name):
    folder = folder_of("single")
    another_last_digit(folder, name)
    rehash(folder)
    verdict = verify(folder)
    assert name in fields(verdict) or name in verdict.uncovered


@pytest.mark.usefixtures("with_reports")
def test_a_hair_of_a_picture_is_remarked(folder_of):
    folder = folder_of("single")
    text = (folder / REPORT).read_text()
    found = re.search(r'<path d="M (\d+\.\d{3,6})', text)
    replace(folder / REPORT, found[1], f"{float(found[1]) + 1e-6:.6f}")
    verdict = verify(folder)
    assert verdict.problems == ()
    assert verdict.uncovered == (REPORT,)
    assert "but for last digits" in str(verdict.remarks[0])


# --- files ------------------------------------------------------------------------------------


def added(name, content="mine", below=""):
    def forge(folder):
        (folder / below / name).write_text(content)
        rehash(folder / below, name)

    return forge


def appended(name, more):
    def forge(folder):
        with (folder / name).open("ab") as stream:
            stream.write(more)

    return forge


def second_array(folder):
    with zipfile.ZipFile(folder / "value.npz", "a") as archive, archive.open("b.npy", "w") as file:
        np.lib.format.write_array(file, np.zeros(3))


def comment(folder):
    with zipfile.ZipFile(folder / "value.npz", "a") as archive:
        archive.comment = b"epsilon is 0.1"


def in_center(folder):
    center = read(folder)["plan"]["statistic"]["center"]["file"]
    appended(center, b"and more")(folder)


def header_of_a_map(folder):
    import nibabel

    image = nibabel.load(folder / "map.nii.gz")
    data = np.asarray(image.dataobj)
    image = nibabel.Nifti1Image(data, image.affine, image.header)
    image.header["descrip"] = b"epsilon is 0.1"
    (folder / "map.nii.gz").unlink()
    nibabel.save(image, folder / "map.nii.gz")


def vertex_moved(folder):
    text = (folder / "value.obj").read_text()
    found = re.search(r"^v (\S+)", text, re.MULTILINE)
    moved = repr(float(found[1]) + 0.001)
    start, end = found.span(1)
    (folder / "value.obj").write_text(text[:start] + moved + text[end:])


def metadata(folder):
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "value.parquet")
    pq.write_table(table.replace_schema_metadata({"note": "no noise"}), folder / "value.parquet")


FILES = {
    "a note": ("single", added("notes.txt"), "files"),
    "a further array": ("single", added("0123456789abcdef.npy"), "files"),
    "a further page": ("single", added("index.html"), "files"),
    "a note in a group": ("groups", added("notes.txt", below="1-a"), "1-a/files"),
    "a note in a stage": ("stages", added("notes.txt", below="2-stage-2"), "2-stage-2/files"),
    "a value of another format": ("single", added("value.tps", "LM=1\n0 0\n"), "value.tps"),
    "a table where groups have none": ("groups", added("value.csv", "x\n1\n"), "files"),
    "a report that is stated": ("single", added(REPORT, "a page"), "files"),
    "another value in the table": (
        "single",
        lambda folder: (folder / "value.csv").write_text("north,east,down\n0.0,0.0,1.0\n"),
        "value.csv",
    ),
    "a row more": ("single", appended("value.csv", b"0.0,0.0,1.0\n"), "value.csv"),
    "an empty line more": ("single", appended("value.csv", b"\n\n"), "value.csv"),
    "names that are data": ("single", says("north", "0.25", "value.csv"), "value.csv"),
    "a second array": ("npz", second_array, "value.npz"),
    "a comment of an archive": ("npz", comment, "value.npz"),
    "bytes behind an archive": ("npz", appended("value.npz", b"more"), "value.npz"),
    "bytes behind a matlab file": ("mat", appended("value.mat", b"\0" * 8), "value.mat"),
    "metadata": ("parquet", metadata, "value.parquet"),
    "a comment in a mesh": ("surfaces", appended("value.obj", b"# no noise\n"), "value.obj"),
    "a vertex elsewhere": ("surfaces", vertex_moved, "value.obj"),
    "a note in a map": ("maps", header_of_a_map, "map.nii.gz"),
    "bytes behind the value": ("single", appended("value.npy", b"more"), "value.npy"),
    "bytes behind the centre": ("single", in_center, "plan.statistic.center"),
    "samples of a curve": ("curves", appended("value.csv", b"1.0\n"), "value.csv"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_forged_file_is_found(folder_of, name):
    kind, forge, wanted = FILES[name]
    folder = folder_of(kind)
    forge(folder)
    rehash(folder)
    assert any(field.startswith(wanted) for field in fields(verify(folder))), verify(folder)


# --- what is no file --------------------------------------------------------------------------


def test_a_link_is_not_followed(folder_of, tmp_path):
    folder = folder_of("single")
    (folder / "value.npy").rename(tmp_path / "elsewhere.npy")
    (folder / "value.npy").symlink_to(tmp_path / "elsewhere.npy")
    assert [str(p) for p in verify(folder).problems] == [
        "value.npy: it is a link: no release writes such a thing"
    ]


@pytest.mark.parametrize("name", ["manifest.json", "value.npy", REPORT, "notes.txt"])
def test_a_pipe_is_not_waited_for(folder_of, name):
    folder = folder_of("single")
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    (problem,) = verify(folder).problems
    assert str(problem).startswith(f"{name}: it is a pipe, a socket or a device")


@pytest.mark.parametrize("name", ["manifest.json", "value.npy", REPORT, "notes.txt"])
def test_a_sparse_file_takes_no_memory(folder_of, name):
    folder = folder_of("single")
    with (folder / name).open("r+b" if (folder / name).exists() else "wb") as stream:
        stream.truncate(20 << 30)
    (problem,) = verify(folder).problems
    assert str(problem).startswith(f"{name}: it has {20 << 30} bytes")


@pytest.mark.parametrize("name", [".DS_Store", "Thumbs.db", "desktop.ini", "._value.npy"])
def test_what_systems_leave_is_no_forgery(folder_of, name):
    folder = folder_of("groups")
    for place in (folder, folder / "1-a"):
        (place / name).write_bytes(b"\0\1")
    verdict = verify(folder)
    assert verdict.problems == ()
    assert [remark.field for remark in verdict.remarks] == [f"1-a/{name}", name]


def test_litter_that_is_stated_or_holds_files_is_found(folder_of):
    folder = folder_of("single")
    added("Thumbs.db")(folder)
    assert fields(verify(folder)) == ["files"]
    folder = folder_of("npz")
    (folder / ".DS_Store").mkdir()
    assert fields(verify(folder)) == [".DS_Store"]


def test_a_folder_that_is_a_link_itself_is_verified(folder_of, tmp_path):
    (tmp_path / "link").symlink_to(folder_of("single"))
    assert verify(tmp_path / "link").problems == ()


# --- manifests --------------------------------------------------------------------------------


def stated(path, value):
    """Change a field of the manifest."""

    def forge(folder):
        def change(document):
            *parents, last = path.split(".")
            inner = document
            for key in parents:
                inner = inner[key]
            inner[last] = value

        edit(folder, change)

    return forge


def off_the_grid(folder):
    exchange_value(folder, np.array([0.6, 0.0, 0.8]))


def swapped_groups(folder):
    def change(document):
        parts = document["parts"]
        parts["a"], parts["b"] = parts["b"], parts["a"]

    edit(folder, change)


def one_group_less(folder):
    shutil.rmtree(folder / "2-b")
    edit(folder, lambda document: document["parts"].pop("b"))


def twice(folder):
    replace(folder / "manifest.json", '"n": 600', '"n": 6000, "n": 600')


def old_format(folder):
    """Claim a format that covers no report."""
    (folder / REPORT).write_text("No noise was needed.")
    (folder / "value.csv").unlink()

    def change(document):
        document["format"] = 0
        del document["files"], document["libraries"]

    edit(folder, change)


MANIFESTS = {
    "another epsilon": ("single", stated("plan.budget.epsilon", "0.5"), "plan.budget"),
    "fewer records": ("single", stated("plan.n", 60), "plan.n"),
    "a smaller scale": ("single", stated("plan.derived.scale", 0.001), "plan.derived.scale"),
    "a stronger promise": (
        "single",
        stated("plan.derived.guarantee.neighbours", "all"),
        "plan.derived",
    ),
    "a smaller ball": ("single", stated("plan.statistic.radius", 0.1), "plan.statistic.radius"),
    "a value off the grid": ("npz", off_the_grid, "value"),
    "groups that changed places": ("groups", swapped_groups, "parts.a.folder"),
    "a group left out": ("groups", one_group_less, "parts"),
    "a comparison": ("single", stated("comparison", True), "comparison"),
    "entropy of a seed": ("single", stated("entropy", "seed 0"), "entropy"),
    "a field of one's own": ("single", stated("approved", True), "manifest.json"),
    "no versions": ("single", lambda f: edit(f, lambda d: d.pop("libraries")), "manifest.json"),
    "a format that covers no report": ("single", old_format, "format"),
    "a centre of another kind": (
        "single",
        lambda folder: edit(folder, lambda d: d["plan"]["statistic"].update(center=d["value"])),
        "files",
    ),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_forged_manifest_is_found(folder_of, name):
    kind, forge, wanted = MANIFESTS[name]
    folder = folder_of(kind)
    forge(folder)
    if "files" in read(folder):
        rehash(folder)
    assert any(field.startswith(wanted) for field in fields(verify(folder))), verify(folder)


def test_a_manifest_that_says_a_thing_twice_is_found(folder_of):
    folder = folder_of("single")
    twice(folder)
    assert [str(p) for p in verify(folder).problems] == ["manifest.json: it says 'n' twice"]


@pytest.mark.parametrize("field", ["projected", "read_by"])
@pytest.mark.usefixtures("with_reports")
def test_what_the_report_repeats_cannot_be_changed_in_the_manifest_alone(folder_of, field):
    folder = folder_of("single")
    changed = {"projected": True, "read_by": "other 1.0"}[field]
    edit(folder, lambda document: document.update({field: changed}))
    rehash(folder)
    assert REPORT in fields(verify(folder))


# --- what only the ledger or the approved plan can tell ---------------------------------------


@pytest.fixture
def paid(tmp_path):
    """A release with the ledger that paid for it, and the plan that was approved."""
    ledger = dp.Ledger.create(tmp_path / "study.db", tmp_path / "study.key")
    ledger.grant("study", dp.Pure(5))
    folder = make("single", tmp_path / "out", ledger=ledger, dataset="study")
    single()[0].save(tmp_path / "plan.json")
    return folder, ledger


def another_draw(folder):
    """Another value of the same grid, with everything that follows from it."""
    exchange_value(folder, single()[0].release(single()[1]).value)
    (folder / "value.csv").unlink()
    edit(folder, lambda document: document["files"].pop("value.csv"))


def another_version(folder):
    """A version that never was, which therefore may have written any report."""
    edit(folder, lambda document: document.update(software="geomdp 9.9.9 (commit 0123456789ab)"))


def another_reader(folder):
    edit(folder, lambda document: document.update(read_by="other 1.0"))


def another_title(folder):
    def change(document):
        document["plan"]["about"]["title"] = "Approved by everybody"

    edit(folder, change)


def another_plan(folder):
    receipt = read(folder)["ledger"]
    shutil.rmtree(folder)
    plan, records = single(budget=dp.Pure(3))
    plan.release(records, folder=folder)
    edit(folder, lambda document: document.update(ledger=receipt))


#: What looks in order by itself; whether the ledger finds it, and whether the approved plan does.
IMPOSSIBLE = {
    "another draw of the same plan": (another_draw, True, False),
    "another version": (another_version, True, False),
    "a package that read the records": (another_reader, True, False),
    "another title": (another_title, True, True),
    "another plan": (another_plan, True, True),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_nobody_can_find_in_the_folder_alone(paid, tmp_path, name):
    forge, by_ledger, by_plan = IMPOSSIBLE[name]
    folder, ledger = paid
    forge(folder)
    rehash(folder)
    report_again(folder)
    assert verify(folder).problems == ()
    assert bool(verify(folder, ledger=ledger).problems) == by_ledger
    assert bool(verify(folder, plan=tmp_path / "plan.json").problems) == by_plan


def test_other_names_of_columns_cannot_be_found(folder_of):
    folder = folder_of("single")
    replace(folder / "value.csv", "north,east,down", "up,up and,away")
    rehash(folder)
    assert verify(folder).problems == ()


def test_what_cannot_be_found_is_named_in_the_docs():
    page = Path(__file__).parents[2] / "docs" / "reference" / "verification.md"
    text = page.read_text(encoding="utf-8")
    for name in [*IMPOSSIBLE, "other names of columns"]:
        assert name in text, name


def test_a_report_of_another_version_is_not_called_altered(paid):
    folder, ledger = paid
    another_version(folder)
    rehash(folder)
    (folder / REPORT).write_text("other words")
    verdict = verify(folder)
    assert verdict.problems == ()
    assert verdict.uncovered == (REPORT,)
    (remark,) = verdict.remarks
    assert "geomdp 9.9.9" in str(remark)
    assert "it says 'other words' where 'a page' follows" in str(remark)
    assert verify(folder, ledger=ledger).problems


def test_a_file_that_nobody_can_read_here_is_no_forgery(folder_of, monkeypatch):
    folder = folder_of("parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    verdict = verify(folder)
    assert verdict.problems == ()
    assert verdict.uncovered == ("value.parquet",)
    assert "needs pyarrow" in str(verdict.remarks[0])


def test_there_are_sixty():
    assert len(PAGES) + len(FILES) + len(MANIFESTS) + len(IMPOSSIBLE) >= 60
    assert all(form is None or form in FORMATS for _, form, _ in KINDS.values())


def test_the_forger_recomputes_every_hash(folder_of):
    """An honest folder stays in order in the forger's hands: it is the forgery that is found."""
    for kind in ("groups", "npz"):
        folder = folder_of(kind)
        rehash(folder)
        report_again(folder)
        assert verify(folder).problems == ()
        write(folder, read(folder))
        assert verify(folder).problems == ()
