"""Hand a script to Slurm where one answers; elsewhere read it, and run it here as the shell script that it also is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ..material.batchscripts import Directives, asked_for, refusal

_PATIENCE_SECONDS = 20.0
_ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL"}
_SHOWN = ("Partition", "NumNodes", "NumTasks", "TimeLimit")


class SubmissionRefused(Exception):
    """The script was not taken; the message is sbatch's own."""


@dataclass(frozen=True)
class JobOutcome:
    """What became of a script.

    Attributes
    ----------
    state : str
        Slurm's word, such as ``"COMPLETED"``; ``"run here"`` where there is no Slurm.
    output : str
        What the script has printed.
    asked : dict
        What it asks for, as read here.
    granted : dict
        What Slurm has understood, by the names of ``scontrol show job``; empty where there is no Slurm.
    """

    job: str
    state: str
    output: str
    asked: Directives
    granted: dict[str, str]

    def __repr__(self) -> str:
        lines = [
            f"Slurm's job {self.job}: {self.state}" if self.job else "No Slurm here: the script was read, and run."
        ]
        lines.append("asked for: " + ", ".join(f"{name}={value}" for name, value in self.asked.items()))
        if self.granted:
            lines.append("granted:   " + ", ".join(f"{name}={value}" for name, value in self.granted.items()))
        return "\n".join([*lines, *(f"    {line}" for line in self.output.splitlines())])


class BatchSystem:
    """Slurm, or what stands in for it: reading.

    Attributes
    ----------
    real : bool
        Whether a Slurm answers here.
    """

    def __init__(self) -> None:
        self.real = shutil.which("sbatch") is not None and _run(["sinfo", "-h", "-o", "%P"]).returncode == 0

    def __repr__(self) -> str:
        if not self.real:
            return "There is no Slurm here. Scripts are read, and short ones run as plain shell scripts."
        partitions = _run(["sinfo", "-h", "-o", "%P"]).stdout.split()
        return f"Slurm answers. Partitions: {', '.join(dict.fromkeys(partitions))}. Scripts are submitted."

    def submit(self, script: str, *, patience: float = 120) -> JobOutcome:
        """Submit a script, and wait for its end.

        Parameters
        ----------
        patience : float, optional
            Seconds after which a job that has not ended is cancelled.

        Raises
        ------
        SubmissionRefused
        """
        if reason := refusal(script):
            raise SubmissionRefused(f"sbatch: error: {reason}")
        # Here, not in /tmp: a node must see it, too.
        folder = Path(tempfile.mkdtemp(prefix="lesson-14-", dir="." if self.real else None)).resolve()
        try:
            return self._on_slurm(script, folder, patience) if self.real else _as_shell(script, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def looked_at(self, script: str) -> str:
        """Ask Slurm whether it would take a script, and submit nothing."""
        if not self.real:
            return "No Slurm here: nobody was asked."
        done = _run(["sbatch", "--test-only"], script)
        return (done.stderr or done.stdout).strip()

    def _on_slurm(self, script: str, folder: Path, patience: float) -> JobOutcome:
        output = folder / "output"
        done = _run(["sbatch", "--parsable", f"--output={output}", f"--chdir={folder}"], script)
        if done.returncode != 0:
            raise SubmissionRefused(done.stderr.strip())
        job = done.stdout.strip().partition(";")[0]
        told: dict[str, str] = {}
        state = "PENDING"
        deadline = time.monotonic() + patience
        while state not in _ENDED:
            if time.monotonic() > deadline:
                _run(["scancel", job])
                state = f"waited for {patience:.0f} s ({told.get('Reason', 'no reason')}), then cancelled"
                break
            time.sleep(0.3)
            told = _told(job)
            state = told.get("JobState", "COMPLETED")  # Slurm forgets jobs some minutes after their end
        printed = output.read_text(errors="replace") if output.is_file() else ""
        named = {name: value for name, value in told.items() if name in _SHOWN}
        return JobOutcome(job, state, printed, asked_for(script), named)


def _told(job: str) -> dict[str, str]:
    words = _run(["scontrol", "--oneliner", "show", "job", job]).stdout.split()
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _as_shell(script: str, folder: Path) -> JobOutcome:
    path = folder / "script.sh"
    path.write_text(script, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    done = subprocess.run(
        ["bash", str(path)], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=_PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    return JobOutcome("", "run here", done.stdout + done.stderr, asked_for(script), {})


def _run(command: list[str], given: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SBATCH_")}
    try:
        return subprocess.run(
            command, input=given, env=environment, capture_output=True, text=True, timeout=_PATIENCE_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))
