"""Measure a class: ``python -m benchmarks.classroom [--learners 30] [--only all line grading]``.

Each learner is a separate system user (a user id without an account) with a Jupyter server, a page, a notebook and a
cluster. The GPUs exist in a text file only; dask-cuda, workers, kernels, claims and the queue are real.
Needs root, both environments of ``make test``, and gcc.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.recording import record
from tests.otheruser import open_to_others

from .machine import ROOT, Machine
from .scenario import Class
from .targets import judged

GPUS = 8
SCENES = {"all": 4, "line": 2}
"""Slots of each of the 8 GPUs: in one scene there is one for each of thirty, in the other half stand in line."""
INSIDE = "GPUCLUSTER_CLASSROOM"


def play(
    scene: str, learners: int, rest_seconds: float, longest: float, *, browser: bool, keep: bool, creates_only: bool
) -> dict[str, Any]:
    """Play one scene and clean up, whatever happens."""
    folder = Path(tempfile.mkdtemp(prefix="gpcclass", dir="/tmp"))
    folder.chmod(0o755)
    # Fewer learners have fewer GPUs, so that some of them stand in line all the same.
    gpus, slots = GPUS, SCENES[scene]
    if learners <= 2 * GPUS:
        gpus, slots = GPUS if scene == "all" else max(1, learners // 2), 1
    machine = Machine(folder, gpus, slots)
    os.environ["GPUCLUSTER_NODE"] = machine.environment()["GPUCLUSTER_NODE"]
    classroom = Class(machine, learners, rest_seconds, creates_only=creates_only)
    try:
        return asyncio.run(asyncio.wait_for(classroom.run(browser=browser), longest))
    except TimeoutError:
        # Report what was measured until then.
        return {**classroom.figures, "given_up": f"after {longest:.0f} s"}
    finally:
        left = classroom.close()
        for line in left:
            print(f"Had to be killed or removed: {line}", flush=True)
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def grade() -> dict[str, Any]:
    """Grade some notebooks of the class."""
    command = [sys.executable, "-m", "benchmarks.grading", "--learners", "2", "--lessons", "06", "--jobs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom", description=__doc__)
    parser.add_argument("--learners", type=int, default=30)
    parser.add_argument("--rest-seconds", type=float, default=40.0)
    parser.add_argument("--only", nargs="+", choices=[*SCENES, "grading"], default=[*SCENES, "grading"])
    parser.add_argument("--longest-seconds", type=float, default=900.0, help="Timeout of each scene.")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--creates-only", action="store_true", help="End each scene when all run.")
    parser.add_argument("--keep", action="store_true", help="Leave the homes, to look at their logs.")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("Only root can be thirty users: run it as root.")
    if INSIDE not in os.environ and (view := open_to_others()):
        # One view of the files for all of it, in which everybody reaches this Python.
        command = [*view, sys.executable, "-m", "benchmarks.classroom", *sys.argv[1:]]
        os.chdir(ROOT)
        os.execvpe(command[0], command, {**os.environ, INSIDE: "1"})  # no shell
    # Who is asked to end cleans up first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    figures: dict[str, Any] = {}
    try:
        for name in options.only:
            print(f"== {name}", flush=True)
            if name == "grading":
                figures[name] = grade()
            else:
                figures[name] = play(name, options.learners, options.rest_seconds, options.longest_seconds,
                                     browser=not options.no_browser and name == "all", keep=options.keep,
                                     creates_only=options.creates_only)  # fmt: skip
                if "given_up" not in figures[name] and not options.creates_only:
                    figures[name]["targets"] = judged(figures[name])
            print(json.dumps(figures[name], indent=1), flush=True)
    finally:
        # What was measured counts, even where a later scene takes too long.
        if figures:
            record(figures, name="classroom", packages=["jupyterlab", "jupyter-server"])


if __name__ == "__main__":
    main()
