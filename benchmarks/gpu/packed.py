"""Packages for a machine without a registry, as small as possible: the contents of wheels, recompressed in a few parts.

pip is not needed there: the members are compressed folders of a site-packages, which all cores unpack. ``python -m
benchmarks.gpu.wheelhouse pack WHEELS PARTS --architecture 90`` creates the parts, and ``install`` accepts them like
wheels. On the other machine the standard library is enough.
"""

from __future__ import annotations

import compileall
import fnmatch
import hashlib
import io
import json
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .cutting import keep_architecture

INDEX = "index.json"
MEMBERS = 13
"""Number of archives, one per core that unpacks at the same time."""
LARGE_BYTES = 1_500_000
"""Smaller files of a package stay together: they have much in common."""
THERE_ALREADY = (
    "nvidia_c*", "nvidia_nccl*", "nvidia_nvvm*", "nvidia_nvfatbin*", "cuda_*", "cupy_*", "pyarrow-*", "scipy-*",
    "matplotlib-*", "scikit_learn-*", "pillow-*", "fonttools-*", "kiwisolver-*", "contourpy-*",
)  # fmt: skip
"""Wheels of CUDA, and of what machines for it have."""
UNUSED = ("*/__pycache__/*", "*.a", "numpy/*/tests/*", "pandas/tests/*", "numba/*/tests/*", "numba/tests/*", "*.pyi")
"""Of a site-packages, but for `USED`."""
UNUSED_HEADERS = ("lib*/include/*", "include/*")
USED = ("libcudf/include/rapids/*", "jedi/*")
"""Headers that CUDA's compiler is given at run time, and `*.pyi` of jedi, which completes by them."""
_ELF = b"\x7fELF"


class WheelsUnusable(Exception):
    """Wheels, or parts of them, are missing or damaged."""


def pack(wheels: Path, parts: Path, architecture: int, n_bytes: int, leave_out: Sequence[str] = THERE_ALREADY) -> int:
    """Write what wheels hold as parts of at most ``n_bytes``; returns how many.

    Parameters
    ----------
    wheels, parts : Path
        Folders; the second one is made.
    architecture : int
        Code for other kinds of GPU is left out: 90 for Hopper.
    n_bytes : int
    leave_out : sequence of str
        Patterns of wheels' names.
    """
    parts.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        for wheel in sorted(wheels.glob("*.whl")):
            if not any(fnmatch.fnmatch(wheel.name, pattern) for pattern in leave_out):
                _unpack_wheel(wheel, site, architecture)
        _link_duplicates(site)
        groups = _groups(site)
        with ProcessPoolExecutor() as pool:
            members = list(pool.map(_compressed, [site] * len(groups), groups))
    index = [{"bytes": len(member), "sha256": hashlib.sha256(member).hexdigest()} for member in members]
    (parts / INDEX).write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    stream = b"".join(members)
    pieces = [stream[start : start + n_bytes] for start in range(0, len(stream), n_bytes)]
    for number, piece in enumerate(pieces):
        (parts / f"packed.part-{number:04d}").write_bytes(piece)
    return len(pieces)


def are_packed(parts: Path) -> bool:
    """Whether a folder holds such parts."""
    return (parts / INDEX).exists()


def unpack(parts: Path, site: Path) -> None:
    """Unpack parts into a site-packages folder, by all cores, and compile what they hold.

    Raises
    ------
    WheelsUnusable
        A part is missing or was damaged.
    """
    index = json.loads((parts / INDEX).read_text(encoding="utf-8"))
    stream = b"".join(part.read_bytes() for part in sorted(parts.glob("packed.part-*")))
    members, start = [], 0
    for each in index:
        member = stream[start : start + each["bytes"]]
        if hashlib.sha256(member).hexdigest() != each["sha256"]:
            raise WheelsUnusable(f"{parts}: a part is missing or damaged.")
        members.append(member)
        start += each["bytes"]
    site.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(_uncompressed, sorted(members, key=len, reverse=True), [site] * len(members)))
    compileall.compile_dir(str(site), maxlevels=20, quiet=2, workers=0)


def _unpack_wheel(wheel: Path, site: Path, architecture: int) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            name = _place(info.filename)
            if info.is_dir() or name is None or _is_unused(name):
                continue
            content = bytearray(archive.read(info))
            if content[:4] == _ELF:
                keep_architecture(content, architecture)
            target = site / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if info.external_attr >> 16 & 0o100 else 0o644)


def _place(name: str) -> str | None:
    """Return where a file of a wheel goes below site-packages; ``None`` if elsewhere."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    kind, _, below = rest.partition("/")
    return below if kind in {"purelib", "platlib"} else None


def _is_unused(name: str) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)

    return matches((*UNUSED, *UNUSED_HEADERS)) and not matches(USED)


def _link_duplicates(site: Path) -> None:
    """Make one of libraries that are there under several names, as wheels have no links."""
    known: dict[str, Path] = {}
    # The longest name of a folder first: others lead to the library with its whole version.
    for path in sorted(site.rglob("*.so*"), key=lambda path: (str(path.parent), -len(path.name))):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in known:
            path.unlink()
            path.symlink_to(os.path.relpath(known[digest], path.parent))
        else:
            known[digest] = path


def _groups(site: Path) -> list[list[str]]:
    """Return the files in groups that take about as long to unpack."""
    units: dict[str, list[str]] = {}
    weights: dict[str, int] = {}
    for path in sorted(site.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = path.relative_to(site).as_posix()
        weight = 100 if path.is_symlink() else 100 + len(zlib.compress(path.read_bytes(), 1))
        unit = name if weight > LARGE_BYTES else name.partition("/")[0].partition("-")[0]
        units.setdefault(unit, []).append(name)
        weights[unit] = weights.get(unit, 0) + weight
    groups: list[list[str]] = [[] for _ in range(min(MEMBERS, max(1, len(units))))]
    loads = [0] * len(groups)
    for unit in sorted(units, key=lambda unit: -weights[unit]):
        least = loads.index(min(loads))
        groups[least] += units[unit]
        loads[least] += weights[unit]
    return groups


def _compressed(site: Path, names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with (
        lzma.open(buffer, "wb", preset=lzma.PRESET_DEFAULT | lzma.PRESET_EXTREME) as plain,
        tarfile.open(fileobj=plain, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name in sorted(names):
            archive.add(site / name, name, recursive=False)
    return buffer.getvalue()


def _uncompressed(member: bytes, site: Path) -> None:
    with lzma.open(io.BytesIO(member)) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
        archive.extractall(site, filter="tar")
