"""Packages for a machine without a registry: wheels that came in parts are joined, checked and installed.

A line that can carry little at a time brings ``libcudf….whl.part-00``, ``….part-01`` and so on, and a file
``SHA256SUMS`` as ``sha256sum`` writes it; ``python -m benchmarks.gpu.wheelhouse split WHEELS PARTS`` makes them.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SUMS = "SHA256SUMS"
_CHUNK = 2**20


class WheelsUnusable(Exception):
    """The wheels are not all there, or not as they were sent."""


def split(wheels: Path, parts: Path, n_bytes: int) -> list[Path]:
    """Cut wheels into parts of at most ``n_bytes``, and write their sums; returns the parts."""
    parts.mkdir(parents=True, exist_ok=True)
    written, sums = [], []
    for wheel in sorted(wheels.glob("*.whl")):
        sums.append(f"{_sha256(wheel)}  {wheel.name}")
        with wheel.open("rb") as file:
            number = 0
            while block := file.read(n_bytes):
                part = parts / f"{wheel.name}.part-{number:02d}"
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


def install(wheels: list[Path], site: Path) -> None:
    """Install wheels into a folder, without a network and without looking for what they need.

    Raises
    ------
    WheelsUnusable
        pip refused; says why.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    done = subprocess.run(
        [*command, "--no-cache-dir", "--upgrade", "--target", str(site), *map(str, wheels)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WheelsUnusable(done.stderr.strip()[-2000:])


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
    cut = verbs.add_parser("split", help="cut wheels into parts")
    cut.add_argument("wheels", type=Path)
    cut.add_argument("parts", type=Path)
    cut.add_argument("--bytes", type=int, default=60 * 2**20, help="of one part at most")
    put = verbs.add_parser("install", help="join the parts and install the wheels")
    put.add_argument("parts", type=Path)
    put.add_argument("site", type=Path, help="folder that is then put on PYTHONPATH")
    options = parser.parse_args(arguments)
    try:
        if options.verb == "split":
            print(f"{len(split(options.wheels, options.parts, options.bytes))} parts in {options.parts}.")
        else:
            wheels = join(options.parts, options.site.parent / "wheels")
            install(wheels, options.site)
            print(f"{len(wheels)} wheels installed in {options.site}.")
    except (WheelsUnusable, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
