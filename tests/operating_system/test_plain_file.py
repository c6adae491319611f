"""What is read of a file that somebody else made: plain files as a whole, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gpucluster.operating_system.plain_file import NotPlain, read_plain_file


def open_files() -> set[str]:
    return set(os.listdir("/dev/fd"))


def test_a_plain_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_plain_file(file, 5) == read_plain_file(file, 5, below=tmp_path) == b"12345"
    file.write_bytes(b"1" * (2**20 + 1))
    with pytest.raises(NotPlain, match=r"is larger than 1 MiB"):
        read_plain_file(file, 2**20)
    with pytest.raises(NotPlain, match=r"is larger than 2 KiB"):
        read_plain_file(file, 2**11)


def test_what_is_no_plain_file_makes_nobody_wait_and_is_closed_again(tmp_path: Path) -> None:
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


def test_links_are_followed_above_a_folder_of_others_only(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "inner" / "file").write_text("x", encoding="utf-8")
    (tmp_path / "real" / "link").symlink_to(tmp_path / "real" / "inner" / "file")
    (tmp_path / "real" / "way").symlink_to(tmp_path / "real" / "inner")
    (tmp_path / "above").symlink_to(tmp_path / "real")
    for path in ("above/inner/file", "real/link", "real/way/file"):
        assert read_plain_file(tmp_path / path, 10) == b"x"
    root = tmp_path / "above"  # itself a link, which the owner of the machine made
    assert read_plain_file(root / "inner" / "file", 10, below=root) == b"x"
    with pytest.raises(NotPlain, match=r"^is a link$"):
        read_plain_file(root / "link", 10, below=root)
    with pytest.raises(NotPlain, match="is a link, or lies behind one"):
        read_plain_file(root / "way" / "file", 10, below=root)
