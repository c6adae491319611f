"""Wheels that travel in parts."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu.wheelhouse import WheelsUnusable, install, join, library_folders, main, site_of, split

NAME = "carried-1.0-py3-none-any.whl"


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder with one real, tiny wheel."""
    folder = tmp_path / "made"
    folder.mkdir()
    with zipfile.ZipFile(folder / NAME, "w") as wheel:
        wheel.writestr("carried.py", "answer = 42\n")
        wheel.writestr("carried-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: carried\nVersion: 1.0\n")
        wheel.writestr("carried-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("carried-1.0.dist-info/RECORD", "carried.py,,\n")
    return folder


def test_parts_make_the_wheel_again_and_it_installs(wheels: Path, tmp_path: Path) -> None:
    parts = split(wheels, tmp_path / "parts", 100)
    assert len(parts) > 5
    assert all(part.stat().st_size <= 100 for part in parts)
    [joined] = join(tmp_path / "parts", tmp_path / "joined")
    assert joined.read_bytes() == (wheels / NAME).read_bytes()
    python = install(tmp_path / "parts", tmp_path / "environment")
    told = subprocess.run(
        [str(python), "-c", "import carried, psutil, gpucluster; print(carried.answer)"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "42\n"
    assert main(["install", str(tmp_path / "parts"), str(tmp_path / "elsewhere")]) == 0


def test_what_is_installed_is_not_installed_again(wheels: Path, tmp_path: Path) -> None:
    split(wheels, tmp_path / "parts", 10_000)
    python = install(tmp_path / "parts", tmp_path / "environment")
    made = python.lstat().st_mtime_ns, site_of(tmp_path / "environment").stat().st_mtime_ns
    assert install(tmp_path / "parts", tmp_path / "environment") == python
    assert (python.lstat().st_mtime_ns, site_of(tmp_path / "environment").stat().st_mtime_ns) == made


def test_libraries_that_were_brought_come_first(wheels: Path, tmp_path: Path) -> None:
    split(wheels, tmp_path / "parts", 10_000)
    install(tmp_path / "parts", tmp_path / "environment")
    brought = site_of(tmp_path / "environment") / "nvidia" / "cu13" / "lib"
    brought.mkdir(parents=True)
    assert library_folders(tmp_path / "environment")[0] == brought


def test_a_part_that_is_missing_or_damaged_is_noticed(wheels: Path, tmp_path: Path) -> None:
    parts = split(wheels, tmp_path / "parts", 100)
    first = parts[0].read_bytes()
    parts[0].write_bytes(b"x" * len(first))
    with pytest.raises(WheelsUnusable, match="do not make it up"):
        join(tmp_path / "parts", tmp_path / "joined")
    parts[0].write_bytes(first)
    parts[3].unlink()
    with pytest.raises(WheelsUnusable, match=NAME):
        join(tmp_path / "parts", tmp_path / "joined")


def test_what_is_no_wheel_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / NAME).write_text("nothing")
    assert main(["split", str(made), str(tmp_path / "parts")]) == 0
    assert main(["install", str(tmp_path / "parts"), str(tmp_path / "site")]) == 1
    assert "Traceback" not in capsys.readouterr().err
