"""Sockets with a long path or none, their peers, and files of other users."""

from __future__ import annotations

import os
import resource
import socket
import struct
from pathlib import Path

import pytest
from gpucluster.operating_system import files, sockets
from gpucluster.operating_system.files import NotPlain, read_plain_file


@pytest.fixture
def long_path(tmp_path: Path) -> Path:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    return folder / "socket"


@pytest.mark.linux("/proc/self/fd")
def test_socket_with_long_path_and_without_name(long_path: Path) -> None:
    before = set(os.listdir("/dev/fd"))
    with socket.socket(socket.AF_UNIX) as listener:
        with files.short_address(str(long_path)) as address:
            listener.bind(address)
        listener.listen()
        assert long_path.is_socket()
        with files.short_address(str(long_path)) as address:
            hidden = files.without_name(address)
        assert not long_path.exists()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(hidden)
        os.close(int(hidden.rpartition("/")[2]))
    assert set(os.listdir("/dev/fd")) == before


def test_elsewhere_a_long_path_is_refused(long_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LINUX", False)
    with pytest.raises(OSError, match="too long"), files.short_address(str(long_path)):
        pass
    with files.short_address("/tmp/s") as address:
        assert address == "/tmp/s"


@pytest.mark.parametrize(
    ("limits", "taken"),
    [((256, 4096), 4096), ((256, resource.RLIM_INFINITY), 10_240), ((20_000, 20_000), 20_000), ((256, 256), 256)],
)
def test_open_file_limit_is_raised(limits: tuple[int, int], taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS reports no limit and refuses more than 10,240."""
    now = [limits[0]]

    def set_limit(_: int, wanted: tuple[int, int]) -> None:
        if wanted[1] != limits[1] or wanted[0] == resource.RLIM_INFINITY or 0 <= limits[1] < wanted[0]:
            raise ValueError("not allowed")
        now[0] = wanted[0]

    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    files.allow_many_files()
    assert now == [taken]


@pytest.mark.linux("SO_PEERCRED")
def test_peer_is_identified() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert sockets.peer_of(one) == (os.getpid(), os.getuid())


def test_unknown_owner_gives_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux has no ``LOCAL_PEERCRED`` and so answers like an unknown system."""
    monkeypatch.setattr(sockets, "LINUX", False)
    one, other = socket.socketpair()
    with one, other:
        assert sockets.peer_of(one)[1] in {None, os.getuid()}
        assert sockets.peer_of(one)[0] in {None, os.getpid()}


def test_macos_credentials_are_read() -> None:
    packed = struct.pack("=IIh2x16I", 0, 501, 2, 20, 12, *[0] * 14)
    assert len(packed) == sockets.XUCRED_BYTES
    assert sockets.user_in(packed) == 501
    assert sockets.user_in(struct.pack("=I", 1) + packed[4:]) is None, "another version may have other fields"


def open_files() -> set[str]:
    return set(os.listdir("/dev/fd"))


def test_plain_file_is_read_up_to_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_plain_file(file, 5) == read_plain_file(file, 5, below=tmp_path) == b"12345"
    file.write_bytes(b"1" * (2**20 + 1))
    with pytest.raises(NotPlain, match=r"is larger than 1 MiB"):
        read_plain_file(file, 2**20)
    with pytest.raises(NotPlain, match=r"is larger than 2 KiB"):
        read_plain_file(file, 2**11)


def test_special_files_do_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = open_files()
    for path in (tmp_path / "pipe", tmp_path / "folder", Path("/dev/zero")):
        for below in (None, path.parent):
            with pytest.raises(NotPlain, match="is not a plain file"):
                read_plain_file(path, 10, below=below)
    with pytest.raises(FileNotFoundError):
        read_plain_file(tmp_path / "missing", 10)
    assert open_files() == before


def test_links_are_followed_above_folder_only(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "inner" / "file").write_text("x", encoding="utf-8")
    (tmp_path / "real" / "link").symlink_to(tmp_path / "real" / "inner" / "file")
    (tmp_path / "real" / "way").symlink_to(tmp_path / "real" / "inner")
    (tmp_path / "above").symlink_to(tmp_path / "real")
    for path in ("above/inner/file", "real/link", "real/way/file"):
        assert read_plain_file(tmp_path / path, 10) == b"x"
    root = tmp_path / "above"  # itself a link made by the owner of the machine
    assert read_plain_file(root / "inner" / "file", 10, below=root) == b"x"
    with pytest.raises(NotPlain, match=r"^is a link$"):
        read_plain_file(root / "link", 10, below=root)
    with pytest.raises(NotPlain, match="is a link, or is behind one"):
        read_plain_file(root / "way" / "file", 10, below=root)
