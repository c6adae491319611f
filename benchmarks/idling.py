"""What the supervisor of a cluster of eight GPU workers burns while nothing is computed, on a machine of fake GPUs.

Needs an environment with dask-cuda, and gcc: ``python -m benchmarks.idling``.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .turns import cpu_seconds

WORKERS = 8
SECONDS = 20.0
FAKES = Path(__file__).parents[1] / "tests" / "fakes"


def measure(repeats: int) -> dict[str, list[float]]:
    """Return percentages of one core of the supervisor, without and with viewers."""
    from gpucluster.client.control import Control
    from gpucluster.client.transport import telemetry_lines
    from gpucluster.registry.store import Registry

    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="gpcbench", dir="/tmp") as folder:
        Path(folder).chmod(0o700)
        control = Control(Path(folder))
        model = control.wait(control.create({"backend": "cuda", "n_workers": WORKERS}).id, timeout=180)
        record = Registry(Path(folder)).folder(model.id)
        pid = model.pid or 0

        async def view() -> None:
            async for _ in telemetry_lines(record):
                pass

        async def views(n_viewers: int) -> None:
            await asyncio.gather(*[view() for _ in range(n_viewers)])

        try:
            time.sleep(60)  # It finishes its imports, and rests after 45 s without viewers.
            for n_viewers in (0, 1, 50):
                if n_viewers:
                    threading.Thread(target=lambda n=n_viewers: asyncio.run(views(n)), daemon=True).start()
                    time.sleep(2)
                for _ in range(repeats):
                    before, started = cpu_seconds(pid), time.monotonic()
                    time.sleep(SECONDS)
                    used = cpu_seconds(pid) - before
                    found.setdefault(f"{n_viewers} viewers", []).append(100 * used / (time.monotonic() - started))
        finally:
            control.stop(model.id)
    return found


def main() -> None:
    """Measure on a machine of fake GPUs, and print."""
    if "FAKE_NVML" in os.environ:
        found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
        print(json.dumps({name: [statistics.median(values), *values] for name, values in found.items()}, indent=1))
        return
    sys.path.insert(0, str(FAKES))
    from nvml.machine import FakeMachine, compile_libraries, gpu  # of the tests

    with tempfile.TemporaryDirectory(prefix="gpcfake") as folder:
        machine = FakeMachine(compile_libraries(Path(folder)), Path(folder) / "machine.txt")
        machine.write([gpu(number, used=2000 + number, util=40) for number in range(WORKERS)])
        command = [sys.executable, "-m", "benchmarks.idling", *sys.argv[1:]]
        sys.exit(subprocess.call(command, env=machine.environment()))


if __name__ == "__main__":
    main()
