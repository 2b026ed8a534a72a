"""Headers of parquet pages that lie: what they claim is checked before memory is taken for it."""

import itertools
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from parquet_forging import (
    ALL_UNPACKED,
    DATA_OFFSET,
    DATA_PAGE,
    DICTIONARY,
    DICTIONARY_OFFSET,
    DICTIONARY_PAGE,
    KIND,
    UNPACKED,
    VALUES,
    forged,
)

from geomdp.io.parquet_files import claimed_by_pages

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

MOST = 2**31 - 1
#: More than is read however small a file is, as bytes and as entries of a list.
BOMB, MANY = 300 << 20, 4 * 10**7
POINTS = {"x": [0.0] * 9, "y": [0.0] * 9, "z": [1.0] * 9}
#: Memory that reading may take, and addresses: Arrow reserves more than it uses.
ROOM, ADDRESSES = 200 << 20, 3 << 29

READER = """
import json, resource, sys
from pathlib import Path
import pyarrow.parquet
import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.io import Choices, read_records
mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))

def held(which):
    lines = Path("/proc/self/status").read_text().split("\\n")
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(which))

before, said = held("VmRSS"), {}
resource.setrlimit(resource.RLIMIT_AS, (held("VmSize") + int(sys.argv[2]),) * 2)
for file in sorted(Path(sys.argv[1]).iterdir()):
    keep = ("who",) if file.stem.startswith("label") else ()
    try:
        read_records(file, mean, Choices(keep=keep, keep_unparsable=True))
        said[file.stem] = "read"
    except GeomdpError as error:
        said[file.stem] = str(error)
print(json.dumps([said, held("VmHWM") - before]))
"""


def written(table, **how):
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(table), sink, write_statistics=False, **how)
    return sink.getvalue().to_pybytes()


def lying(field, kind):
    """Claim the most that a header can, of bytes or of values."""

    def page(header, body):
        if (header[KIND][1] == DICTIONARY) == (kind == DICTIONARY_PAGE):
            held = header[kind][1] if field == 1 else header
            held[field][1] = MOST
        return body

    return page


def bomb(header, body):
    """Let the page of texts hold a long one of zeros, packed without ever lying in memory."""
    if header[KIND][1] != DICTIONARY or b"who" not in zlib.decompress(body, wbits=31):
        return body
    pack = zlib.compressobj(1, wbits=31)
    parts = [pack.compress(BOMB.to_bytes(4, "little"))]
    parts += [pack.compress(bytes(1 << 20)) for _ in range(BOMB >> 20)]
    header[UNPACKED][1] = 4 + BOMB
    return b"".join([*parts, pack.flush()])


def modest(meta):
    """Let the end of the file claim little."""
    meta[ALL_UNPACKED][1], meta[VALUES][1] = 100, 3


def behind(meta):
    """Say that the dictionary begins behind the data, where Arrow does not look for it."""
    modest(meta)
    meta[DATA_OFFSET][1], meta[DICTIONARY_OFFSET][1] = meta[DICTIONARY_OFFSET][1], 10**9


def hostile_files():
    files = {}
    for codec in ("none", "snappy", "zstd"):
        whole = written(POINTS, compression=codec)
        files[f"honest-{codec}"] = forged(whole)
        for field, kind in itertools.product((UNPACKED, 1), (DATA_PAGE, DICTIONARY_PAGE)):
            files[f"claim-{codec}-{field}-{kind}"] = forged(whole, lying(field, kind))
    whole = written(POINTS | {"who": ["who"] * 9}, compression="gzip")
    files["label-honest"] = forged(whole)
    files["label-bomb"] = forged(whole, bomb, modest)
    offsets = pyarrow.array([0, MANY], pyarrow.int32())
    zeros = pyarrow.array(np.zeros(MANY, dtype=np.int8))
    lists = {"points": pyarrow.ListArray.from_arrays(offsets, zeros)}
    whole = written(lists, compression="zstd")
    files["list-bomb"], files["list-behind"] = (
        forged(whole, column=modest),
        forged(whole, column=behind),
    )
    return files


def test_what_the_headers_of_pages_claim_is_checked_before_memory_is_taken(tmp_path):
    """Formerly the end of the file was believed: half a kilobyte took three gigabytes."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell how much memory was held")
    files = hostile_files()
    assert max(map(len, files.values())) < 2 << 20
    for name, data in files.items():
        (tmp_path / f"{name}.parquet").write_bytes(data)
    command = [sys.executable, "-c", READER, str(tmp_path), str(ADDRESSES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    said, taken = json.loads(run.stdout)
    honest = {name for name in files if "honest" in name}
    assert {name for name, answer in said.items() if answer == "read"} == honest
    for name in files.keys() - honest:
        assert "bytes and announces" in said[name], name
    assert taken < ROOM


@pytest.mark.parametrize("codec", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("coded", [True, False])
def test_honest_pages_claim_what_the_file_does(tmp_path, codec, version, coded):
    rows, path = 5000, tmp_path / "a.parquet"
    table = {
        "number": np.random.default_rng(0).normal(size=rows),
        "gaps": pyarrow.array([None if i % 3 else 1.0 for i in range(rows)]),
        "text": [f"person {i}" for i in range(rows)],
        "list": [[float(i)] * 3 for i in range(rows)],
    }
    how = {"use_dictionary": coded, "data_page_version": version, "data_page_size": 1000}
    parquet.write_table(pyarrow.table(table), path, compression=codec, row_group_size=2000, **how)
    meta = parquet.ParquetFile(path).metadata
    for group, place in itertools.product(range(meta.num_row_groups), range(meta.num_columns)):
        column = meta.row_group(group).column(place)
        start = column.dictionary_page_offset or column.data_page_offset
        held, values = claimed_by_pages(path, start, column.total_compressed_size)
        assert 0.5 * column.total_uncompressed_size < held <= column.total_uncompressed_size
        assert column.num_values <= values <= 2 * column.num_values


def test_a_header_that_does_not_end_is_damaged(tmp_path):
    (tmp_path / "a").write_bytes(b"\x15" * 100)
    with pytest.raises(IndexError):
        claimed_by_pages(tmp_path / "a", 0, 100)
