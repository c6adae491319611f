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


def bundle_bytes() -> dict[str, dict[str, int]]:
    """Return the size of all JavaScript and of all CSS of the built panel and of the notebook widget, raw and gzip."""
    package = Path(gpucluster.__file__).parent
    found = {}
    for name, folder in (("panel", "labextension/static"), ("widget", "widgets/static")):
        for part, ending in ((name, "js"), (f"{name}_css", "css")):
            files = [file.read_bytes() for file in (package / folder).glob(f"*.{ending}")]
            packed = sum(len(gzip.compress(content, 9)) for content in files)
            found[part] = {"raw": sum(map(len, files)), "gzip": packed}
    return found
