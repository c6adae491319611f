"""An Nsight Systems capture of the measured code, if ``nsys`` can.

Nsight Systems cannot attach to a running process: it sees GPU kernels and copies only in processes that ``nsys launch``
started, and their children. So it must have started Jupyter (or the command line that creates the cluster), with the
session's name below; then the collection starts and stops with the cell.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SESSION = "gpucluster"
_TIMEOUT_SECONDS = 120
_INJECTED = ("LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")

_NO_NSYS = (
    "No Nsight Systems capture: 'nsys' is not on the PATH. It comes with the CUDA toolkit and with NVIDIA's package "
    "nsight-systems-cli."
)
_NOT_LAUNCHED = (
    "No Nsight Systems capture: it cannot attach to processes that are already running. Start Jupyter with 'nsys "
    f"launch --session-new={SESSION} --trace=cuda,nvtx jupyter lab', create the cluster again and repeat the profile."
)


@dataclass(frozen=True)
class ProcessFacts:
    """What decides whether a process can be captured."""

    host: str
    launched_by_nsys: bool


def launched_by_nsys(environment: Mapping[str, str]) -> bool:
    """Return whether a process with that environment was started by ``nsys``, directly or indirectly."""
    if "NSYS_PROFILING_SESSION_ID" in environment:
        return True
    # 'nsys launch' sets the session's id only while it collects, but its libraries from the start.
    injected = [environment.get(name, "").lower() for name in _INJECTED]
    return any("nsight" in part or "toolsinjection" in part for part in injected)


class NsightCapture:
    """Starts collecting when created. It never fails: ``stop`` returns a message about problems."""

    def __init__(self, file: Path, workers: list[ProcessFacts]) -> None:
        self._file = file
        host = socket.gethostname()
        here = ProcessFacts(host, launched_by_nsys(os.environ))
        # A session belongs to one machine.
        seen = [worker for worker in workers if worker.launched_by_nsys and worker.host == host]
        self._covered = f"{len(seen)} of {len(workers)} workers" + (" and this notebook" * here.launched_by_nsys)
        self._problem: str | None = None
        if shutil.which("nsys") is None:
            self._problem = _NO_NSYS
        elif not seen and not here.launched_by_nsys:
            self._problem = _NOT_LAUNCHED
        else:
            # CPU sampling needs permissions that users of shared machines do not have.
            self._problem = self._nsys(
                "start", f"--output={file}", "--force-overwrite=true", "--sample=none", "--cpuctxsw=none",
                "--stop-on-exit=false",
            )  # fmt: skip

    def stop(self) -> str:
        """Stop collecting and write the file; returns a message about the result."""
        if self._problem is None:
            self._problem = self._nsys("stop")
            if self._problem is None and not self._file.is_file():
                self._problem = f"No Nsight Systems capture: nsys wrote no file {self._file}."
        return self._problem or (
            f"The Nsight Systems capture of {self._covered} is in {self._file}; open it with 'nsys-ui', or print "
            f"'nsys stats {self._file}'."
        )

    def _nsys(self, verb: str, *options: str) -> str | None:
        """Run ``nsys``; returns a message about its failure, if any."""
        try:
            done = subprocess.run(
                ["nsys", verb, f"--session={SESSION}", *options],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT_SECONDS,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"No Nsight Systems capture: 'nsys {verb}' failed ({type(error).__name__})."
        if done.returncode == 0:
            return None
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        return f"No Nsight Systems capture: 'nsys {verb}' printed: {lines[-1][:200] if lines else 'nothing'}"
