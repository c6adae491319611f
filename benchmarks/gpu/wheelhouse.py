"""Packages for a machine without a registry: wheels that came in parts are joined, checked and installed.

A line that can carry little at a time brings ``libcudf….whl.part-00``, ``….part-01`` and so on, and a file
``SHA256SUMS`` as ``sha256sum`` writes it; ``python -m benchmarks.gpu.wheelhouse split WHEELS PARTS`` makes them, and
``cut WHEELS SMALLER --architecture 90`` before it leaves at home what this kind of GPU has no use for.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from pathlib import Path

from .cutting import cut_wheel
from .packed import INDEX, WheelsUnusable, are_packed, pack, unpack

SUMS = "SHA256SUMS"
_CHUNK = 2**20


def split(wheels: Path, parts: Path, n_bytes: int) -> list[Path]:
    """Cut wheels into parts of at most ``n_bytes``, and write their sums; returns the parts."""
    parts.mkdir(parents=True, exist_ok=True)
    written, sums = [], []
    for wheel in sorted(wheels.glob("*.whl")):
        sums.append(f"{_sha256(wheel)}  {wheel.name}")
        with wheel.open("rb") as file:
            number = 0
            while block := file.read(n_bytes):
                part = parts / f"{wheel.name}.part-{number:04d}"
                part.write_bytes(block)
                written.append(part)
                number += 1
    (parts / SUMS).write_text("".join(f"{line}\n" for line in sums), encoding="utf-8")
    return written


def join(parts: Path, wheels: Path) -> list[Path]:
    """Put wheels together from their parts and compare them with their sums; returns the wheels.

    Raises
    ------
    WheelsUnusable
        A wheel is missing, lacks a part or was damaged; says which.
    """
    wheels.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Path]] = defaultdict(list)
    for part in sorted(parts.glob("*.whl.part-*")):
        found[part.name.rpartition(".part-")[0]].append(part)
    for whole in parts.glob("*.whl"):
        found[whole.name] = [whole]
    joined = []
    for line in (parts / SUMS).read_text(encoding="utf-8").splitlines():
        wanted, _, name = line.partition("  ")
        target = wheels / Path(name).name
        if not (target.exists() and _sha256(target) == wanted):
            with target.open("wb") as file:
                for part in found.get(name, []):
                    with part.open("rb") as block:
                        shutil.copyfileobj(block, file)
            if _sha256(target) != wanted:
                raise WheelsUnusable(f"{name}: {len(found.get(name, []))} parts are there, and they do not make it up.")
        joined.append(target)
    return joined


def install(parts: Path, environment: Path) -> Path:
    """Create an environment with the wheels that came in parts, on top of this Python's packages, without a network.

    A separate environment, not only a folder on the path: ``.pth`` files work there, and CUDA's libraries are found
    there. What was installed before is not installed again.

    Parameters
    ----------
    parts : Path
        Folder of the parts, or of whole wheels, with their sums.
    environment : Path
        Is created, or completed.

    Returns
    -------
    Path
        The environment's Python.

    Raises
    ------
    WheelsUnusable
        A wheel is damaged, or pip failed; the message says why.
    """
    python = environment / "bin" / "python"
    packed = are_packed(parts)
    sums = (parts / (INDEX if packed else SUMS)).read_text(encoding="utf-8")
    done = environment / SUMS
    if done.exists() and done.read_text(encoding="utf-8") == sums:
        return python
    wheels = [] if packed else join(parts, environment.with_name(environment.name + "-wheels"))
    _run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
    above = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    lines = "".join(f"import site; site.addsitedir({folder!r})\n" for folder in above)
    (site_of(environment) / "above.pth").write_text(lines, encoding="utf-8")
    if packed:
        unpack(parts, site_of(environment))
    else:
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
        _run([*pip, "--no-compile", "--no-cache-dir", "--ignore-installed", *map(str, wheels)])
    done.write_text(sums, encoding="utf-8")
    return python


def site_of(environment: Path) -> Path:
    """Return the folder of an environment that packages are installed to."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))


def library_folders(environment: Path) -> list[Path]:
    """Return the folders of CUDA's libraries, those of the environment before those of this Python."""
    above = Path(sysconfig.get_path("purelib"))
    return [folder for site in (site_of(environment), above) for folder in sorted(site.glob("nvidia/*/lib"))]


def _run(command: list[str]) -> None:
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise WheelsUnusable(told.stderr.strip()[-2000:])


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """Split wheels here, or join and install them there."""
    parser = argparse.ArgumentParser(description="Carry wheels in parts.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    only = verbs.add_parser("cut", help="leave in wheels the code for one kind of GPU only")
    only.add_argument("wheels", type=Path)
    only.add_argument("target", type=Path, help="folder of the smaller wheels")
    only.add_argument("--architecture", type=int, required=True, help="90 for Hopper (H100, H200), say")
    divide = verbs.add_parser("split", help="cut wheels into parts")
    divide.add_argument("wheels", type=Path)
    divide.add_argument("parts", type=Path)
    divide.add_argument("--bytes", type=int, default=60 * 2**20, help="of one part at most")
    smallest = verbs.add_parser("pack", help="do both, and recompress the contents of the wheels")
    smallest.add_argument("wheels", type=Path)
    smallest.add_argument("parts", type=Path)
    smallest.add_argument("--architecture", type=int, required=True, help="90 for Hopper (H100, H200), say")
    smallest.add_argument("--bytes", type=int, default=60 * 2**20, help="of one part at most")
    put = verbs.add_parser("install", help="join the parts and install the wheels")
    put.add_argument("parts", type=Path)
    put.add_argument("environment", type=Path, help="folder of the environment that is made")
    options = parser.parse_args(arguments)
    try:
        if options.verb == "cut":
            options.target.mkdir(parents=True, exist_ok=True)
            for wheel in sorted(options.wheels.glob("*.whl")):
                target = options.target / wheel.name
                if cut_wheel(wheel, target, options.architecture):
                    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, now {target.stat().st_size:,}.")
        elif options.verb == "pack":
            n_parts = pack(options.wheels, options.parts, options.architecture, options.bytes)
            print(f"{n_parts} parts in {options.parts}.")
        elif options.verb == "split":
            print(f"{len(split(options.wheels, options.parts, options.bytes))} parts in {options.parts}.")
        else:
            print(f"Installed for {install(options.parts, options.environment.absolute())}.")
    except (WheelsUnusable, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
