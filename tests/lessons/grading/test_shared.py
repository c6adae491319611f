"""What submissions leave in shared memory goes; what somebody still uses, or had before, stays."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from gpucluster.lessons.grading.shared import owned, remove_new


def test_only_what_is_new_and_unused_is_removed(tmp_path: Path) -> None:
    for name in ("old", "new", "open", "mapped"):
        (tmp_path / name).write_bytes(b"x" * 10)
        if name == "old":
            before = owned(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "old")
    (tmp_path / "folder").mkdir()
    assert before == {"old"}
    opened = os.open(tmp_path / "open", os.O_RDONLY)
    mapping = os.open(tmp_path / "mapped", os.O_RDWR)
    mapped = mmap.mmap(mapping, 10)
    os.close(mapping)
    try:
        assert remove_new(before, tmp_path) == ["new"]
    finally:
        os.close(opened)
        mapped.close()
    assert owned(tmp_path) == {"old", "open", "mapped", "link", "folder"}
    assert remove_new(before, tmp_path) == ["mapped", "open"]


def test_a_folder_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    assert owned(tmp_path / "nowhere") == set()
    assert remove_new(set(), tmp_path / "nowhere") == []
