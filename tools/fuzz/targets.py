"""What is fuzzed: for each reader how input is made, the reader's first check, and the call."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tools.fuzz import mesh_seeds, seeds
from tools.fuzz.mutations import cut, damage, damage_document, damage_text, random_bytes

import geomdp as dp
from geomdp.io import Choices, read_records, write_value
from geomdp.io.writing import value_file_agrees

#: Shares of input without structure, and of valid files cut short; the rest is mutated.
_RANDOM, _CUT = 0.08, 0.1


@dataclass(frozen=True)
class Target:
    """A reader under test.

    Attributes
    ----------
    make
        Input from a source of randomness.
    first
        Whether input gets past the reader's first check: signature, encoding, container.
    read
        The call, in an empty folder that it leaves empty but for its own input.
    share
        How often it is fuzzed, relative to the others: cheap readers carry most.
    modules
        Source files whose lines count as the reader's own.
    """

    name: str
    make: Callable[[Random], bytes]
    first: Callable[[bytes], bool]
    read: Callable[[bytes, Path, Random], None]
    share: float
    modules: tuple[str, ...] = ()


def _made(
    valid: Sequence[Callable[[], bytes]],
    mutate: Callable[[Random, bytes], bytes],
    craft: Callable[[Random], bytes] | None,
    rng: Random,
) -> bytes:
    chance = rng.random()
    if chance < _RANDOM:
        return random_bytes(rng)
    if chance < _RANDOM + _CUT:
        return cut(rng, rng.choice(valid)())
    if craft is not None and rng.random() < 0.6:
        return craft(rng)
    return mutate(rng, rng.choice(valid)())


@cache
def _statistic(name: str) -> Any:
    if name == "sphere":
        return dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    if name == "spd":
        return dp.FrechetMean(dp.Ball(dp.SPD(3), center=np.eye(3), radius=2.0))
    if name == "shapes":
        return dp.FrechetMean(dp.Ball(dp.PlanarShapes(3), center=seeds.TRIANGLES[0], radius=0.2))
    return dp.FrechetMean(dp.Ball(dp.SPD(9, metric="log-euclidean"), np.eye(9), 5.0))


def _records(ending: str, name: str, data: bytes, folder: Path, rng: Random) -> None:
    """Read a file of records and, where that succeeds, write a value the same way."""
    path, statistic = folder / f"a{ending}", _statistic(name)
    path.write_bytes(data)
    choices = Choices(
        columns=rng.choice(((),) * 20 + (("x", "y", "z"), ("*",), ("1", "2", "3"))),
        keep=rng.choice(((),) * 20 + (("sex",), ("site",), ("id",), ("1",))),
        triangle=rng.choice(("lower", "upper")),
        reading=dp.readings.Compositions() if name == "sphere" and rng.random() < 0.1 else None,
        keep_unparsable=rng.random() < 0.5,
        decimal=rng.choice((".", ".", ".", ",")),
        layout=rng.choice((None, None, None, "pairs", "blocks")),
    )
    loaded = read_records(path, statistic, choices)
    value = statistic.ball.center
    write_value(value, folder, loaded, statistic, choices.triangle, choices.reading)
    file = folder / (loaded.format.value_file or "value.npz")
    if file.exists():
        if not value_file_agrees(file, value, statistic, choices.reading):
            raise AssertionError(f"{file.name} does not hold the value written")
        file.unlink()


_IMAGES = dp.images.Descriptors(8, 8)


def _image(data: bytes, folder: Path, rng: Random) -> None:
    path = folder / f"a{rng.choice(('.png', '.bmp', '.pgm', '.tif', '.jpg'))}"
    path.write_bytes(data)
    choices = Choices(reading=_IMAGES, keep_unparsable=rng.random() < 0.5)
    read_records(folder, _statistic("images"), choices)


def _mesh(ending: str, data: bytes, folder: Path, _: Random) -> None:
    from geomdp.surfaces import read_surface

    path = folder / f"a{ending}"
    path.write_bytes(data)
    read_surface(path)


def _overlay(data: bytes, folder: Path, rng: Random) -> None:
    path = folder / f"a{rng.choice(('.thickness', '.mgh', '.mgz'))}"
    path.write_bytes(data)
    flat = dp.TangentMean(dp.Ball(dp.Euclidean(3), np.zeros(3), 5.0))
    read_records(folder, flat, Choices(keep_unparsable=rng.random() < 0.5))


def _plan(data: bytes, folder: Path, _: Random) -> None:
    from geomdp.plans import load_plan

    path = folder / "plan.json"
    path.write_bytes(data)
    load_plan(path)


def _ball(data: bytes, folder: Path, _: Random) -> None:
    from geomdp.typed.inputs import read_ball

    path = folder / "ball.json"
    path.write_bytes(data)
    read_ball(path)


def _map(ending: str, data: bytes, folder: Path, rng: Random) -> None:
    """Read a person's image on the plan's mask, or a mask."""
    path, statistic = folder / f"a{ending}", seeds.voxel_map()
    path.write_bytes(data)
    choices = Choices(triangle=rng.choice(("lower", "upper")))
    if rng.random() < 0.5:
        choices = replace(choices, mask=path)
        statistic = replace(statistic, grid=None)
    loaded = read_records(folder, statistic, choices)
    value = statistic.public_record
    write_value(value, folder, loaded, statistic, choices.triangle)
    file = folder / "map.nii.gz"
    if not value_file_agrees(file, value, statistic):
        raise AssertionError("the map's file does not hold the value written")
    file.unlink()


def _release(data: bytes, folder: Path, rng: Random) -> None:
    from geomdp.plans import load_release
    from geomdp.releases.verification import verify

    files = dict(rng.choice(seeds.release_files()))
    files[rng.choice(sorted(files)) if data[:1] != b"{" else "manifest.json"] = data
    for name, content in files.items():
        (folder / name).write_bytes(content)
    verify(folder)  # lists problems, never raises
    try:
        load_release(folder)
    finally:
        for name in files:
            (folder / name).unlink()
        (folder / "manifest.json").write_bytes(b"")


def _budget(data: bytes, _: Path, rng: Random) -> None:
    text = data.decode("utf-8", "replace")
    kind = rng.randrange(4)
    if kind == 0:
        made: Any = dp.Pure(text)
    elif kind == 1:
        made = dp.GDP(text)
    elif kind == 2:
        made = dp.ZCDP(text)
    else:
        made = dp.Approximate("1", text)
    repr(made)
    json.dumps(made.to_json())


def _spec(data: bytes, _: Path, __: Random) -> None:
    from geomdp.spaces.specs import space_from_spec

    space_from_spec(data.decode("utf-8", "replace"))


def _document(documents: Callable[[], tuple[Any, ...]], rng: Random) -> bytes:
    chance = rng.random()
    if chance < 0.02:
        depth = rng.choice((500, 100_000))
        return rng.choice((b"[" * depth, b'{"a":' * depth, b"[" * depth + b"]" * depth))
    document = rng.choice(documents())
    if chance < 0.8:
        return json.dumps(damage_document(rng, document)).encode()
    if chance < 0.9:
        return damage_text(rng, json.dumps(document).encode())
    return cut(rng, json.dumps(document).encode())


def _manifests() -> tuple[Any, ...]:
    return tuple(json.loads(files["manifest.json"]) for files in seeds.release_files())


def _release_input(rng: Random) -> bytes:
    if rng.random() < 0.7:
        return _document(_manifests, rng)
    return rng.choice((seeds.npy_with_header(rng), damage(rng, seeds.npy(np.zeros(2)), 6)))


def _zip_opens(data: bytes) -> bool:
    try:
        zipfile.ZipFile(io.BytesIO(data))
    except Exception:
        return False
    return True


def _is_text(data: bytes) -> bool:
    try:
        return bool(data.strip()) and "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _signature(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.startswith(starts)


def _nifti_gz(rng: Random) -> bytes:
    whole = gzip.compress(seeds.nifti_with_header(rng), 1, mtime=0)
    return whole if rng.random() < 0.7 else damage(rng, whole, 10)


def _text(ending: str, name: str) -> Callable[[bytes, Path, Random], None]:
    return partial(_records, ending, name)


def _of(
    *valid: Callable[[], bytes],
    mutate: Callable[[Random, bytes], bytes],
    craft: Callable[[Random], bytes] | None = None,
) -> Callable[[Random], bytes]:
    return partial(_made, valid, mutate, craft)


def _keeping(first: int) -> Callable[[Random, bytes], bytes]:
    return lambda rng, data: damage(rng, data, first)


def _ends_kept(rng: Random, data: bytes) -> bytes:
    return damage(rng, data[:-8], 4) + data[-8:]


def _stl(rng: Random, data: bytes) -> bytes:
    return (
        data[:84] + damage(rng, data[84:])[:100].ljust(100, b"\0")
        if data[0] == 0
        else damage_text(rng, data)
    )


_CSV = b"x,y,z\n0,0,1\n0.6,0,0.8\n0,0.6,0.8\n"
_LABELLED = b"sex,x,y,z\na,0,0,1\nb,0.6,0,0.8\na,0,0.6,0.8\n"

TARGETS = {
    target.name: target
    for target in (
        Target(
            "npy",
            _of(
                partial(seeds.npy, seeds.POINTS),
                seeds.objects,
                mutate=_keeping(6),
                craft=seeds.npy_with_header,
            ),
            _signature(b"\x93NUMPY"),
            _text(".npy", "sphere"),
            20,
            ("io/numpy_files.py",),
        ),
        Target(
            "npz",
            _of(
                lambda: seeds.npz({"points.npy": seeds.npy(seeds.POINTS)}),
                mutate=_keeping(4),
                craft=seeds.npz_of_odd_members,
            ),
            _zip_opens,
            _text(".npz", "sphere"),
            4,
            ("io/numpy_files.py",),
        ),
        Target(
            "csv",
            _of(
                lambda: _CSV,
                lambda: _CSV[6:],
                lambda: _LABELLED,
                mutate=damage_text,
                craft=seeds.csv_table,
            ),
            _is_text,
            _text(".csv", "sphere"),
            36,
            ("io/csv_files.py", "io/text_rows.py", "io/cells.py", "io/tables.py", "io/loading.py"),
        ),
        Target(
            "landmarks",
            _of(lambda: seeds.LONG, mutate=damage_text),
            _is_text,
            _text(".csv", "shapes"),
            12,
            ("io/landmark_files.py",),
        ),
        Target(
            "tps",
            _of(lambda: seeds.TPS, mutate=damage_text),
            lambda data: _is_text(data) and b"LM=" in data,
            _text(".tps", "shapes"),
            24,
            ("io/landmark_files.py",),
        ),
        Target(
            "nts",
            _of(lambda: seeds.NTS, mutate=damage_text),
            lambda data: _is_text(data) and b"dim=" in data,
            _text(".nts", "shapes"),
            12,
            ("io/nts_files.py",),
        ),
        Target(
            "across",
            _of(lambda: seeds.OTU, mutate=damage_text),
            lambda data: _is_text(data) and b"#OTU ID" in data,
            _text(".tsv", "sphere"),
            12,
            ("io/across_files.py",),
        ),
        Target(
            "overlays",
            _of(lambda: seeds.THICKNESS, lambda: seeds.MGH, mutate=_keeping(3)),
            _signature(b"\xff\xff\xff", b"\0\0\0\1"),
            _overlay,
            12,
            ("io/overlay_folders.py", "surfaces/mesh/freesurfer_format.py"),
        ),
        Target(
            "freesurfer",
            _of(lambda: seeds.WHITE, mutate=_keeping(3)),
            _signature(b"\xff\xff\xfe"),
            partial(_mesh, ".white"),
            8,
            ("surfaces/mesh/freesurfer_format.py",),
        ),
        Target(
            "parquet",
            _of(
                *(
                    partial(seeds.parquet, kind)
                    for kind in ("columns", "lists", "nulls", "odd", "ragged")
                ),
                mutate=_ends_kept,
            ),
            lambda data: data[:4] == data[-4:] == b"PAR1",
            _text(".parquet", "sphere"),
            3,
            ("io/parquet_files.py",),
        ),
        Target(
            "nifti",
            _of(seeds.nifti, mutate=_keeping(348), craft=seeds.nifti_with_header),
            lambda data: data[:4] == b"\x5c\1\0\0" and data[344:347] == b"n+1",
            _text(".nii", "spd"),
            8,
            ("io/nifti_files.py",),
        ),
        Target(
            "nifti-gz",
            _of(
                lambda: gzip.compress(seeds.nifti(), 1, mtime=0),
                mutate=_keeping(10),
                craft=_nifti_gz,
            ),
            _signature(b"\x1f\x8b\x08"),
            _text(".nii.gz", "spd"),
            4,
            ("io/nifti_files.py",),
        ),
        Target(
            "maps",
            _of(seeds.nifti, mutate=_keeping(348), craft=seeds.nifti_with_header),
            lambda data: data[:4] == b"\x5c\1\0\0" and data[344:347] == b"n+1",
            partial(_map, ".nii"),
            4,
            ("io/map_folders.py", "io/nifti_files.py"),
        ),
        Target(
            "images",
            _of(
                *(partial(seeds.image, kind) for kind in ("png", "bmp", "ppm", "tiff", "jpeg")),
                mutate=_keeping(4),
                craft=seeds.png_with_sound_checksums,
            ),
            _signature(b"\x89PNG\r\n\x1a\n", b"BM", b"P5", b"II*", b"\xff\xd8\xff"),
            _image,
            1.5,
            ("io/image_folders.py", "io/folders.py"),
        ),
        Target(
            "obj",
            _of(lambda: seeds.OBJ, mutate=damage_text),
            lambda data: _is_text(data) and b"v " in data,
            partial(_mesh, ".obj"),
            24,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "off",
            _of(lambda: seeds.OFF, mutate=damage_text),
            _signature(b"OFF"),
            partial(_mesh, ".off"),
            2,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "ply",
            _of(lambda: seeds.PLY, seeds.binary_ply, mutate=damage_text),
            lambda data: data[:3] == b"ply" and b"end_header" in data,
            partial(_mesh, ".ply"),
            2,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "stl",
            _of(lambda: seeds.STL, lambda: seeds.STL_TEXT, mutate=_stl),
            lambda data: len(data) == 184 or data.startswith(b"solid"),
            partial(_mesh, ".stl"),
            2,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "mesh-npz",
            _of(
                lambda: seeds.npz(
                    {
                        "vertices.npy": seeds.npy(np.eye(3)),
                        "faces.npy": seeds.npy(np.array([[0, 1, 2]])),
                    }
                ),
                mutate=_keeping(4),
                craft=seeds.npz_of_odd_members,
            ),
            _zip_opens,
            partial(_mesh, ".npz"),
            2,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "glb",
            _of(seeds.glb, mutate=_keeping(20), craft=seeds.glb_with_sound_lengths),
            _signature(b"glTF\x02\0\0\0"),
            partial(_mesh, ".glb"),
            2,
            ("surfaces/mesh/meshio.py",),
        ),
        Target(
            "gifti",
            _of(
                *(
                    partial(mesh_seeds.gifti, kind)
                    for kind in ("ASCII", "Base64Binary", "GZipBase64Binary")
                ),
                mutate=damage_text,
            ),
            lambda data: b"<GIFTI" in data,
            partial(_mesh, ".gii"),
            8,
            ("surfaces/mesh/xml_formats.py",),
        ),
        Target(
            "vtk",
            _of(
                lambda: mesh_seeds.VTK,
                lambda: mesh_seeds.VTK_OFFSETS,
                mesh_seeds.binary_vtk,
                mutate=damage_text,
            ),
            _signature(b"# vtk DataFile Version"),
            partial(_mesh, ".vtk"),
            8,
            ("surfaces/mesh/vtk_format.py",),
        ),
        Target(
            "vtp",
            _of(
                *(
                    partial(mesh_seeds.vtp, form, packed)
                    for form in ("ascii", "binary", "appended")
                    for packed in (False, True)
                ),
                mutate=damage_text,
            ),
            lambda data: b"<VTKFile" in data,
            partial(_mesh, ".vtp"),
            8,
            ("surfaces/mesh/vtk_format.py", "surfaces/mesh/xml_formats.py"),
        ),
        Target(
            "mat",
            _of(
                partial(mesh_seeds.mat, False),
                partial(mesh_seeds.mat, True),
                mutate=_keeping(128),
                craft=mesh_seeds.mat_repacked,
            ),
            lambda data: data[126:128] in (b"IM", b"MI"),
            _text(".mat", "sphere"),
            8,
            ("io/mat_files.py",),
        ),
        Target(
            "csv-gz",
            _of(
                lambda: gzip.compress(_CSV, 1, mtime=0),
                mutate=_keeping(10),
                craft=mesh_seeds.gzipped_table,
            ),
            _signature(b"\x1f\x8b\x08"),
            _text(".csv.gz", "sphere"),
            8,
            ("io/texts.py", "io/csv_files.py"),
        ),
        Target(
            "wide-landmarks",
            _of(lambda: seeds.WIDE, mutate=damage_text),
            _is_text,
            _text(".csv", "shapes"),
            8,
            ("io/layouts.py",),
        ),
        Target(
            "plan",
            partial(_document, seeds.plans),
            _is_object,
            _plan,
            2,
            ("plans/loading.py", "plans/inputs.py", "agreement.py", "statistics/voxel_grid.py"),
        ),
        Target("ball", partial(_document, seeds.balls), _is_object, _ball, 4, ("spaces/ball.py",)),
        Target(
            "release",
            _release_input,
            lambda data: _is_object(data) or data.startswith(b"\x93NUMPY"),
            _release,
            2,
            (
                "plans/loading.py",
                "release.py",
                "verification/documents.py",
                "verification/folders.py",
            ),
        ),
        Target("budget", seeds.budget_text, _is_text, _budget, 10, ("privacy/exact.py",)),
        Target("space", seeds.spec_text, _is_text, _spec, 10, ("spaces/specs.py",)),
    )
}
