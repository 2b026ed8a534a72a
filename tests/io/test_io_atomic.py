"""Files and folders under a temporary name: nobody else's link is written through."""

import errno
import os

import pytest

from geomdp import options
from geomdp.errors import GeomdpError
from geomdp.io import atomic
from geomdp.io.atomic import new_folder, sync, write_new, write_whole


def test_a_link_in_the_place_of_the_temporary_file_is_not_written_through(tmp_path):
    """The name that was used once, and every name that somebody could guess."""
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    for name in (".plan.json.partial", "plan.json.partial"):
        (tmp_path / name).symlink_to(victim)
    write_new(tmp_path / "plan.json", "{}")
    write_whole(tmp_path / "plan.json", "[]")
    assert victim.read_text() == "mine"
    assert (tmp_path / "plan.json").read_text() == "[]"


def test_a_link_that_was_guessed_is_refused(tmp_path, monkeypatch):
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda _: "0" * 16)
    (tmp_path / f".{'0' * 16}.partial").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "plan.json", "{}")
    assert victim.read_text() == "mine"


def test_a_file_is_as_open_to_others_as_the_system_says(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "plan.json", "{}")
    finally:
        os.umask(before)
    assert (tmp_path / "plan.json").stat().st_mode & 0o777 == 0o640


def test_a_folder_is_unfinished_by_its_name_until_all_is_written(tmp_path):
    with new_folder(tmp_path / "out.v1") as folder:
        folder.mkdir()
        assert folder.name == "unfinished.v1"
        (folder / "a.txt").write_text("a")
    assert (tmp_path / "out.v1" / "a.txt").read_text() == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["out.v1"]


def test_what_cannot_be_renamed_is_kept_under_its_name(tmp_path):
    with pytest.raises(GeomdpError, match=r"all is written in '.*/out'"):  # noqa: PT012, SIM117
        with new_folder(tmp_path / "out") as folder:
            folder.mkdir()
            (tmp_path / "out").mkdir()


def test_everything_in_a_folder_is_kept_by_the_disk(tmp_path, monkeypatch):
    kept = []
    (tmp_path / "out" / "part").mkdir(parents=True)
    (tmp_path / "out" / "part" / "a.txt").write_text("a")
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    monkeypatch.setattr(atomic, "sync_one", kept.append)
    sync(tmp_path / "out")
    out = tmp_path / "out"
    assert kept == [out / "part" / "a.txt", out / "part", out]


fcntl = pytest.importorskip("fcntl", reason="this is Windows")


class Windows:
    """What Windows would answer: folders are not opened, and what is only read is not flushed."""

    name, sep = "nt", "\\"

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags, mode=0o777):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "folders cannot be opened", str(path))
        return os.open(path, flags, mode)

    def fsync(self, handle):
        if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "not opened for writing")
        os.fsync(handle)


def test_the_disk_keeps_a_release_on_windows_too(tmp_path, monkeypatch):
    """Formerly files were flushed through a handle for reading, which Windows refuses."""
    monkeypatch.setattr(atomic, "os", Windows())
    with new_folder(tmp_path / "out") as folder:
        (folder / "inside").mkdir(parents=True)
        write_whole(folder / "value.txt", "1")
        sync(folder)
    assert (tmp_path / "out" / "value.txt").read_text() == "1"


def test_printed_commands_are_quoted_for_the_shell_of_the_system(monkeypatch):
    assert options.quoted("geomdp", "verify", "my mean") == "geomdp verify 'my mean'"
    monkeypatch.setattr(options, "os", Windows())
    assert options.quoted("geomdp", "verify", r"C:\my mean") == r'geomdp verify "C:\my mean"'
    assert options.quoted(r"C:\mean") == r"C:\mean"
