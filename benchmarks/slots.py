"""How often ``squeue`` is asked for a thousand jobs on 64 nodes: ``python -m benchmarks.slots [--seconds 60]``.

Four clusters of 250 jobs each, with 20 viewers at a real Jupyter server. Clusters, server and viewers are real; Slurm's
commands are programs of this file that keep a table of jobs. Every tenth job waits, the others have begun, and none of
their workers comes, so that all is as restless as it can be. Told are the seconds between two calls of ``squeue``, and
the CPU time of one cluster's process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import shutil
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from gpucluster.client.control import AsyncControl

from .recording import record
from .viewers import server, shares_of_a_core, viewers

CLUSTERS, JOBS, NODES, VIEWERS = 4, 250, 64, 20
SPEC = {
    "backend": "slurm", "n_workers": JOBS, "partition": "main", "walltime": "01:00:00", "memory_limit": "1GB",
    "interface": "lo", "idle_timeout_seconds": None,
}  # fmt: skip
PROGRAMS = {
    "sbatch": """
case " $* " in *" --test-only "*) exit 0;; esac
cat > /dev/null
for word in "$@"; do case "$word" in --job-name=*) name=${word#--job-name=};; esac; done
exec 9>> "$TABLE.lock"; flock 9
number=$(($(wc -l < "$TABLE") + 1))
echo "$number|$name" >> "$TABLE"
echo "$number"
""",
    "squeue": f"""
date +%s.%N >> "$TABLE.looks"
awk -F'|' '{{
  if ($1 % 10) printf "%s|RUNNING|None|2026-01-01T00:00:00|2036-01-01T00:00:00|node%d|%s\\n", $1, $1 % {NODES} + 1, $2
  else printf "%s|PENDING|Resources|2036-01-01T00:00:00|N/A||%s\\n", $1, $2 }}' "$TABLE"
""",
    "scancel": """
exec 9>> "$TABLE.lock"; flock 9
: > "$TABLE"
""",
    "sinfo": f"""
echo "main*|up|infinite|{NODES}|16|64000|(null)|(null)"
""",
}


def install(folder: Path) -> Path:
    """Write the programs and an empty table of jobs."""
    table = folder / "table"
    table.touch()
    for name, text in PROGRAMS.items():
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\nTABLE={table}\n{text}")
        program.chmod(0o755)
    return table


async def measure(seconds: float, folder: Path) -> dict[str, Any]:
    """Create a cluster, watch it for this long, and return the figures."""
    table = install(folder)
    environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "GPUCLUSTER_DIR": f"{folder}/clusters"}
    os.environ.update(environment)
    control, token = AsyncControl(folder / "clusters"), secrets.token_hex(16)
    shared = {"shared_directory": str(folder / "shared")}
    try:
        made = [await control.create({**SPEC, **shared, "name": f"jobs-{number}"}) for number in range(CLUSTERS)]
        models = [await control.wait(model.id, timeout=300) for model in made]
        with server(environment, folder, token) as (_, port):
            async with viewers(VIEWERS, port, token) as seen:
                await asyncio.sleep(10)
                begun = time.time()
                shares = await shares_of_a_core([int(model.pid or 0) for model in models], seconds)
                models = [await control.get(model.id) for model in models]
        looks = [at for line in Path(f"{table}.looks").read_text().split() if begun <= (at := float(line))]
        gaps = [later - earlier for earlier, later in pairwise(looks)]
        return {
            "clusters": CLUSTERS, "slots": sum(model.n_workers + model.n_pending for model in models), "nodes": NODES,
            "viewers": VIEWERS, "messages": seen["messages"], "reason": models[0].pending_reason,
            "looks": len(looks), "seconds": seconds,
            "seconds_between": {"least": round(min(gaps), 2), "median": round(statistics.median(gaps), 2)},
            "supervisor_percent_of_a_core": shares,
        }  # fmt: skip
    finally:
        for model in await control.list():
            if not model.state.ended:
                await control.stop(model.id, wait=True)


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slots", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    folder = Path(tempfile.mkdtemp(prefix="gpcslot", dir="/tmp"))
    (folder / "clusters").mkdir(mode=0o700)
    try:
        figures = asyncio.run(measure(seconds, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    record(figures, name="slots", packages=["distributed", "dask-jobqueue"])


if __name__ == "__main__":
    main()
