"""Accelerators without a change of code: which are installed, and a pandas script under one of them."""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ACCELERATOR = "cudf.pandas"
STARTED = {
    "cudf.pandas": "python -m cudf.pandas script.py",
    "cuml.accel": "python -m cuml.accel script.py",
    "cudf_polars": 'query.collect(engine="gpu")',
}
"""How each accelerator is begun."""


@dataclass(frozen=True)
class ScriptRun:
    """What a script printed.

    Attributes
    ----------
    command : str
        How it was started.
    output : str
        What it printed; its last error line, where it failed.
    succeeded : bool
        Whether it came to its end.
    """

    command: str
    output: str
    succeeded: bool

    def __repr__(self) -> str:
        return f"$ {self.command}\n{self.output}"


def run_unchanged(script: str, *, timeout: float = 60) -> ScriptRun:
    """Run a script in a fresh Python, with ``-m cudf.pandas`` before it where that is installed.

    Parameters
    ----------
    script : str
        Plain pandas code.
    timeout : float
        Seconds until it is killed.
    """
    module = ["-m", ACCELERATOR] if find_spec(ACCELERATOR.partition(".")[0]) is not None else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "script.py"
        file.write_text(script, encoding="utf-8")
        command = " ".join(["python", *module, file.name])
        try:
            done = subprocess.run(
                [sys.executable, *module, str(file)], capture_output=True, text=True, timeout=timeout, cwd=folder
            )
        except subprocess.TimeoutExpired:
            return ScriptRun(command, f"It did not end within {timeout:g} s.", False)
    if done.returncode == 0:
        return ScriptRun(command, done.stdout.strip(), True)
    return ScriptRun(command, (done.stderr.strip().splitlines() or ["It failed without a message."])[-1], False)


def accelerators() -> str:
    """Say of each accelerator whether it is installed here, and how it is begun; nothing is imported."""
    lines = []
    for name, start in STARTED.items():
        there = find_spec(name.partition(".")[0]) is not None
        lines.append(f"{name:12} {f'installed: {start}' if there else 'not installed here: the script runs as it is'}")
    return "\n".join(lines)
