"""What a notebook pays for importing us, and a browser for loading the panel."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import gpucluster

_IMPORT = """
import time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
started = time.perf_counter()
import gpucluster
shell.run_line_magic("load_ext", "gpucluster")
print(time.perf_counter() - started)
"""


def import_seconds(repeats: int) -> list[float]:
    """Return the time of ``import gpucluster`` and ``%load_ext gpucluster`` in fresh IPython processes."""
    times = []
    for _ in range(repeats + 1):
        answer = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True)
        times.append(float(answer.stdout.split()[-1]))
    return times[1:]


def bundle_bytes() -> tuple[int, int]:
    """Return the size of all JavaScript of the built panel, raw and gzip."""
    folder = Path(gpucluster.__file__).parent / "labextension" / "static"
    files = [file.read_bytes() for file in folder.glob("*.js")]
    return sum(map(len, files)), sum(len(gzip.compress(content, 9)) for content in files)
