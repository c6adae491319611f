"""Wheels that are transferred in parts."""

import base64
import hashlib
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest

from benchmarks.gpu.cutting import codes
from benchmarks.gpu.packed import WheelsUnusable
from benchmarks.gpu.wheelhouse import install, join, library_folders, main, site_of, split

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


@pytest.mark.full
def test_parts_rebuild_wheel(wheels: Path, tmp_path: Path) -> None:
    parts = split(wheels, tmp_path / "parts", 100)
    assert len(parts) > 5
    assert all(part.stat().st_size <= 100 for part in parts)
    [joined] = join(tmp_path / "parts", tmp_path / "joined")
    assert joined.read_bytes() == (wheels / NAME).read_bytes()
    python = install(tmp_path / "parts", tmp_path / "environment")
    code = "import carried, psutil, gpucluster; print(carried.answer)"
    assert subprocess.check_output([str(python), "-c", code], env={}, text=True) == "42\n"
    made = python.lstat().st_mtime_ns, site_of(tmp_path / "environment").stat().st_mtime_ns
    assert install(tmp_path / "parts", tmp_path / "environment") == python
    again = python.lstat().st_mtime_ns, site_of(tmp_path / "environment").stat().st_mtime_ns
    assert again == made, "what is installed was installed again"
    brought = site_of(tmp_path / "environment") / "nvidia" / "cu13" / "lib"
    brought.mkdir(parents=True)
    assert library_folders(tmp_path / "environment")[0] == brought, "libraries that were brought come first"
    assert main(["install", str(tmp_path / "parts"), str(tmp_path / "elsewhere")]) == 0


def test_missing_or_damaged_part_is_detected(wheels: Path, tmp_path: Path) -> None:
    parts = split(wheels, tmp_path / "parts", 100)
    first = parts[0].read_bytes()
    parts[0].write_bytes(b"x" * len(first))
    with pytest.raises(WheelsUnusable, match="do not make it up"):
        join(tmp_path / "parts", tmp_path / "joined")
    parts[0].write_bytes(first)
    parts[3].unlink()
    with pytest.raises(WheelsUnusable, match=NAME):
        join(tmp_path / "parts", tmp_path / "joined")


def test_invalid_wheel_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / NAME).write_text("nothing")
    assert main(["split", str(made), str(tmp_path / "parts")]) == 0
    assert main(["install", str(tmp_path / "parts"), str(tmp_path / "site")]) == 1
    assert "Traceback" not in capsys.readouterr().err


def library(*pieces: list[tuple[int, int, bytes]]) -> bytes:
    """Return a shared library with only GPU code: of each piece the entries' kind, architecture and content."""
    code = b""
    for piece in pieces:
        entries = b""
        for kind, architecture, content in piece:
            entries += struct.pack("<HHIQ", kind, 1, 64, len(content)) + bytes(12)
            entries += struct.pack("<I", architecture) + bytes(32) + content
        code += b"\x50\xed\x55\xba" + struct.pack("<HHQ", 1, 16, len(entries)) + entries + bytes(8)
    names = b"\0.nv_fatbin\0.shstrtab\0"
    header = bytearray(64)
    header[:5] = b"\x7fELF\x02"
    header[0x28:0x30] = struct.pack("<Q", 64 + len(code) + len(names))
    header[0x3A:0x40] = struct.pack("<HHH", 64, 2, 1)
    sections = [(1, 64, len(code)), (12, 64 + len(code), len(names))]
    table = b"".join(struct.pack("<IIQQQQ", name, 1, 0, 0, at, size) + bytes(24) for name, at, size in sections)
    return bytes(header) + code + names + table


def test_wheel_is_reduced_to_one_gpu_architecture(tmp_path: Path) -> None:
    both = [(2, 80, b"ampere" * 100), (2, 90, b"hopper" * 100), (1, 120, b"text" * 100)]
    only_older = [(2, 80, b"older!" * 100)]
    whole = library(both, only_older)
    assert [(code.piece, code.ready, code.architecture) for code in codes(whole)] == [
        (0, True, 80), (0, True, 90), (0, False, 120), (1, True, 80),
    ]  # fmt: skip
    wheel, smaller = tmp_path / "thing-1-py3-none-any.whl", tmp_path / "smaller"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("thing/lib.so", whole)
        file.writestr("thing/__init__.py", "x = 1\n")
        file.writestr("thing-1.dist-info/RECORD", f"thing/lib.so,sha256=old,{len(whole)}\nthing/__init__.py,,\n")
    assert main(["cut", str(tmp_path), str(smaller), "--architecture", "90"]) == 0
    with zipfile.ZipFile(smaller / wheel.name) as file:
        cut, record = file.read("thing/lib.so"), file.read("thing-1.dist-info/RECORD").decode()
        assert file.read("thing/__init__.py") == b"x = 1\n"
    assert len(cut) == len(whole)
    assert b"ampere" not in cut and b"text" not in cut
    assert b"hopper" * 100 in cut
    assert b"older!" * 100 in cut, "a piece without code for this GPU was cut"
    digest = base64.urlsafe_b64encode(hashlib.sha256(cut).digest()).decode().rstrip("=")
    assert record == f"thing/lib.so,sha256={digest},{len(whole)}\nthing/__init__.py,,\n"


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF\x01" + bytes(100), b"\x7fELF\x02" + bytes(60)])
def test_what_is_no_library_has_no_code(content: bytes) -> None:
    assert list(codes(content)) == []


def test_what_wheels_hold_travels_in_fewer_bytes(wheels: Path, tmp_path: Path) -> None:
    library = b"\x7fELF" + bytes(500)
    with zipfile.ZipFile(wheels / "more-1.0-py3-none-any.whl", "w") as wheel:
        for name in ("more/libmore.so", "more/libmore.so.1", "more/libmore.so.1.2"):
            wheel.writestr(name, library)
        wheel.writestr("more-1.0.data/purelib/placed.py", "from carried import answer\n")
        wheel.writestr("more-1.0.data/scripts/more", "not needed")
        for unused in ("more/__pycache__/x.pyc", "more/static.a", "numpy/core/tests/test.py", "libmore/include/more.h"):
            wheel.writestr(unused, "not needed")
        wheel.writestr("libcudf/include/rapids/used.h", "needed")
    (wheels / "cupy_cuda13x-14.2.0-cp312-cp312-manylinux2014_x86_64.whl").write_bytes(b"there already")
    parts = tmp_path / "parts"
    assert main(["pack", str(wheels), str(parts), "--architecture", "90", "--bytes", "200"]) == 0
    assert max(part.stat().st_size for part in parts.glob("packed.part-*")) == 200
    python = install(parts, tmp_path / "environment")
    site = site_of(tmp_path / "environment")
    code = "import placed, psutil; print(placed.answer)"
    assert subprocess.check_output([str(python), "-c", code], text=True) == "42\n"
    assert (site / "more" / "libmore.so.1.2").read_bytes() == library
    for name in ("libmore.so", "libmore.so.1"):
        assert (site / "more" / name).is_symlink()
        assert (site / "more" / name).read_bytes() == library
    assert (site / "libcudf" / "include" / "rapids" / "used.h").exists()
    left = [path for path in site.rglob("*") if path.is_file() and path.read_bytes() == b"not needed"]
    assert left == []


@pytest.mark.parametrize("fault", ["missing", "damaged"])
def test_packed_parts_that_are_not_whole(wheels, tmp_path, fault, capsys):
    parts = tmp_path / "parts"
    assert main(["pack", str(wheels), str(parts), "--architecture", "90", "--bytes", "100"]) == 0
    part = parts / "packed.part-0001"
    part.unlink() if fault == "missing" else part.write_bytes(part.read_bytes()[::-1])
    assert main(["install", str(parts), str(tmp_path / "environment")]) == 1
    assert "a part is missing or damaged" in capsys.readouterr().err  # words: ok
