"""Take the built panel and widgets from the newest wheel in dist, where no Node can build them."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "py_src" / "gpucluster"
PARTS = {
    "/share/jupyter/labextensions/gpucluster/": PACKAGE / "labextension",
    "gpucluster/widgets/static/": PACKAGE / "widgets" / "static",
}


def take(wheel: Path) -> None:
    """Replace what is built with what the wheel has."""
    for folder in PARTS.values():
        shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            for part, folder in PARTS.items():
                _, found, path = name.partition(part)
                if found and path != "install.json":
                    target = folder / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(name))


if __name__ == "__main__":
    wheels = sorted((ROOT / "dist").glob("gpucluster-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        sys.exit("There is no wheel in dist.")
    print(f"The panel of {wheels[-1].name}.")
    take(wheels[-1])
