"""Small files that claim much, and paths that are no files: no memory, no program, no waiting."""

import base64
import gzip
import json
import os
import signal
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.images import Descriptors
from geomdp.io import Choices, read_records
from geomdp.surfaces import read_surface

SPHERE = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
SPD = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
SHAPES = dp.FrechetMean(
    dp.Ball(dp.PlanarShapes(3), center=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], radius=0.2)
)
IMAGES = dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 9.0))
#: Bytes that reading may take beyond the libraries, whatever a file of some kilobytes claims.
ROOM = 200 << 20
#: Entries and bytes of bombs.
MANY, BOMB = 4 * 10**7, 300 << 20

#: Reads each file under a limit of memory, and says what came of it.
READER = """
import json, sys
import numpy as np, pyarrow.parquet, nibabel, trimesh, PIL.Image
import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
from geomdp.surfaces import read_surface
from pathlib import Path
sphere = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
tensors = dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))

def held(which):
    lines = Path("/proc/self/status").read_text().split("\\n")
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(which))

said = {}
for file in sorted(Path(sys.argv[1]).iterdir()):
    Path("/proc/self/clear_refs").write_text("5")  # the most that was held is what is held now
    before = held("VmRSS")
    try:
        if file.suffix in (".gii", ".glb", ".ply") or file.name.startswith("mesh"):
            read_surface(file)
        elif file.suffix in (".gz", ".nii") and "nii" in file.name:
            read_records(file, tensors, Choices(triangle="lower"))
        else:
            keep = ("who",) if "label" in file.name else ()
            columns = {"not-asked": ("x", "y", "z"), "list": ("rest",)}.get(file.stem, ())
            read_records(file, sphere, Choices(keep=keep, columns=columns))
        answer = "read"
    except GeomdpError as error:
        answer = str(error)
    said[file.name] = (answer, held("VmHWM") - before)
print(json.dumps(said))
"""


def zeros(count, pack=None):
    """So many zero bytes, packed without ever lying in memory."""
    pack = pack or zlib.compressobj(1)
    step = bytes(1 << 20)
    whole = [pack.compress(step) for _ in range(count >> 20)]
    return b"".join([*whole, pack.compress(bytes(count & ((1 << 20) - 1))), pack.flush()])


def parquet_files(folder):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    point = {"x": [0.0], "y": [0.0], "z": [1.0]}
    offsets = pyarrow.array([0, MANY], pyarrow.int32())
    long = pyarrow.ListArray.from_arrays(offsets, pyarrow.array(np.zeros(MANY, dtype=np.int8)))
    parquet.write_table(pyarrow.table(point | {"rest": long}), folder / "not-asked.parquet")
    (folder / "list.parquet").write_bytes((folder / "not-asked.parquet").read_bytes())
    rows = 100_000
    texts = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), ["x" * 10**5])
    columns = {name: np.full(rows, value[0]) for name, value in point.items()}
    parquet.write_table(pyarrow.table(columns | {"who": texts}), folder / "labels.parquet")


def numpy_files(folder):
    claim = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 3), }\n"
    head = b"\x93NUMPY\x01\x00" + len(claim).to_bytes(2, "little") + claim
    with zipfile.ZipFile(folder / "mesh.npz", "w") as archive:
        for name in ("vertices", "faces"):
            archive.writestr(f"{name}.npy", head)
    with (
        zipfile.ZipFile(
            folder / "header.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1
        ) as archive,
        archive.open("t.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(b"\x93NUMPY\x02\x00" + BOMB.to_bytes(4, "little"))
        for _ in range(BOMB >> 20):
            stream.write(b" " * (1 << 20))


def nifti_files(folder):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(np.arange(6.0).reshape(1, 1, 1, 6), np.eye(4))
    whole = bytearray(image.to_bytes())
    extension = b"\1\0\0\0" + struct.pack("<ii", (1 << 31) - 16, 6) + bytes(24)
    whole[108:112] = struct.pack("<f", 352 + 32)
    body = bytes(whole[:348]) + extension + bytes(whole[352:])
    packed = zlib.compressobj(1, wbits=31)
    start = packed.compress(body)
    (folder / "extension.nii.gz").write_bytes(start + zeros(BOMB, packed))
    whole[42:52] = struct.pack("<5h", 2000, 2000, 100, 1, 6)
    (folder / "claim.nii.gz").write_bytes(gzip.compress(bytes(whole)))


def mesh_files(folder):
    array = (
        '<DataArray Intent="NIFTI_INTENT_{}" DataType="NIFTI_TYPE_{}" Dimensionality="2" '
        'ArrayIndexingOrder="RowMajorOrder" Dim0="{}" Dim1="3" Encoding="GZipBase64Binary" '
        'Endian="LittleEndian"><Data>{}</Data></DataArray>'
    )
    bomb = base64.b64encode(zeros(BOMB)).decode()
    arrays = array.format("POINTSET", "FLOAT32", BOMB // 12, bomb)
    arrays += array.format("TRIANGLE", "INT32", BOMB // 12, bomb)
    (folder / "bomb.gii").write_text(f"<GIFTI>{arrays}</GIFTI>")
    (folder / "elements.gii").write_text(f"<GIFTI>{'<a/>' * 10**6}</GIFTI>")
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {10**9}\nproperty float x\n"
    (folder / "claim.ply").write_bytes(header.encode() + b"end_header\n" + bytes(100))
    accessors = [{"count": 10**9, "type": "VEC3", "componentType": 5126}] * 2
    mesh = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}
    text = json.dumps({"asset": {"version": "2.0"}, "accessors": accessors, "meshes": [mesh]})
    chunk = text.encode().ljust(-(-len(text) // 4) * 4)
    head = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(chunk), len(chunk), b"JSON")
    (folder / "claim.glb").write_bytes(head + chunk)


@pytest.mark.slow
def test_what_a_file_claims_is_checked_before_memory_is_taken(tmp_path):
    pytest.importorskip("trimesh")
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell how much memory was held")
    for make in (parquet_files, numpy_files, nifti_files, mesh_files):
        make(tmp_path)
    packed = zlib.compressobj(wbits=31)
    rows = b"".join([packed.compress(b"0,0,1\n" * 10**5) for _ in range(100)])
    (tmp_path / "bomb.csv.gz").write_bytes(rows + packed.flush())
    assert max(file.stat().st_size for file in tmp_path.iterdir()) < 5 << 20
    run = subprocess.run(
        [sys.executable, "-c", READER, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert {name: taken for name, (_, taken) in said.items() if taken > ROOM} == {}
    fine = {"not-asked.parquet", "labels.parquet", "extension.nii.gz"}
    assert {name for name, (answer, _) in said.items() if answer == "read"} == fine
    for name, (answer, _) in said.items():
        assert name in fine or (name in answer and answer.endswith("."))


def test_a_bomb_of_pixels_is_refused(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("1", (9000, 9000)).save(tmp_path / "a.png")
    with pytest.raises(GeomdpError, match=r"a\.png holds \d+ bytes and announces 81000000"):
        read_records(tmp_path, IMAGES, Choices(reading=Descriptors(8, 8)))


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nshowpage\n%%EOF\n"


@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "bmp", "ppm"])
def test_no_image_starts_a_program(tmp_path, monkeypatch, ending):
    pillow = pytest.importorskip("PIL.Image")
    plugin = pytest.importorskip("PIL.EpsImagePlugin")
    (tmp_path / f"a.{ending}").write_bytes(EPS)
    with pillow.open(tmp_path / f"a.{ending}") as image:
        assert image.format == "EPS"  # whatever its name says
    started = []
    monkeypatch.setattr(plugin, "Ghostscript", lambda *_, **__: started.append(True))
    with pytest.raises(GeomdpError, match="not a valid image"):
        read_records(tmp_path, IMAGES, Choices(reading=Descriptors(8, 8)))
    assert not started


@pytest.fixture
def in_time():
    """A test that waits for ever fails."""

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


FILES = {
    **dict.fromkeys(("a.npy", "a.npz", "a.csv", "a.csv.gz", "a.parquet"), SPHERE),
    **dict.fromkeys(("a.mat", "a.nii", "a.nii.gz"), SPD),
    **dict.fromkeys(("a.tps", "long.csv"), SHAPES),
}


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_pipes_and_devices_are_named(tmp_path, in_time, name, keep):
    os.mkfifo(tmp_path / name)
    (tmp_path / "device").mkdir()
    (tmp_path / "device" / name).symlink_to("/dev/zero")
    for path, kind in ((tmp_path / name, "a pipe"), (tmp_path / "device" / name, "a device")):
        with pytest.raises(GeomdpError, match=f"{name} is {kind} and no plain file"):
            read_records(path, FILES[name], Choices(keep_unparsable=keep))


@pytest.mark.parametrize("name", FILES)
def test_files_of_holes_are_refused(tmp_path, in_time, name):
    with (tmp_path / name).open("wb") as stream:
        stream.truncate(20 << 30)
    with pytest.raises(GeomdpError, match="claims 21474836480 bytes, of which the disk holds"):
        read_records(tmp_path / name, FILES[name])


def test_a_pipe_in_a_folder_is_one_record(tmp_path, in_time):
    """Left out in silence, a record would be missing; awaited, all others would be."""
    for i in range(3):
        np.save(tmp_path / f"{i}.npy", np.array([0.0, 0.0, 1.0]))
    os.mkfifo(tmp_path / "3.npy")
    (tmp_path / "4.npy").symlink_to(tmp_path / "nowhere")
    with pytest.raises(GeomdpError, match=r"3\.npy is a pipe"):
        read_records(tmp_path, SPHERE)
    read = read_records(tmp_path, SPHERE, Choices(keep_unparsable=True))
    assert np.isnan(read.points).all(axis=1).tolist() == [False, False, False, True, True]


def test_a_mesh_that_is_a_pipe_is_named(tmp_path, in_time):
    os.mkfifo(tmp_path / "a.obj")
    with pytest.raises(GeomdpError, match=r"a\.obj is a pipe"):
        read_surface(tmp_path / "a.obj")
