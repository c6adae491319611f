"""Slurm's own commands: run with a timeout, and their error messages explained."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Collection
from contextlib import suppress

from ...protocol.errors import PreflightFailed, StartFailed
from ...protocol.plain_text import printable
from ...protocol.traits import Needs
from .spec import SlurmSpec

NEEDS = Needs(
    commands=("sbatch", "squeue", "scancel", "sinfo"),
    packages=("dask_jobqueue",),
    extra="slurm",
    absent="There is no Slurm here",
    advice="Start Jupyter on a login node or in a job of the site, perhaps after 'module load slurm'.",
)
PATIENCE_SECONDS = 20.0  # If the controller is down, commands hang for nine seconds before they report it.
_OF_SITE = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_TIME_FORMAT")
_DEFAULTS = {
    "SBATCH_ACCOUNT": "account", "SBATCH_PARTITION": "partition", "SBATCH_QOS": "qos",
    "SBATCH_CONSTRAINT": "constraint", "SBATCH_RESERVATION": None, "SBATCH_CLUSTERS": None,
}  # fmt: skip
"""Defaults that users set, and the field that overrides each. Other SBATCH_* variables would override the script."""
_SILENT = re.compile(
    r"unable to contact slurm controller|connection refused|timed out|socket timed out|communication connection failure"
    r"|munge|slurm_persist|zero bytes were transmitted|establish (a )?configuration source",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(sbatch|squeue|scancel|sinfo|scontrol|slurm_\w+|allocation failure)(: (error|fatal))?: ?")
_LIMIT = re.compile(r"(QOS|Assoc)\w+")
_NO_SUCH_NODE = r"node configuration is not available"
_HINTS = (
    (r"invalid partition", "partition: Slurm has no such partition, or you may not use it"),
    (r"invalid account", "account: Slurm does not accept this account with this partition"),
    (r"invalid qos", "qos: Slurm does not accept this quality of service with this account and partition"),
    (r"invalid feature", "constraint: no node has these features"),
    (r"memory specification", "memory_limit: no node has that much memory"),
    (_NO_SUCH_NODE, "no node has what one job requests: cores, memory, GPUs or their type"),
    (r"invalid generic resource", "gpu_type: Slurm has no such GPUs"),
    (r"violates accounting/qos policy", "Slurm's limits for you, your account or the QOS do not allow it"),
    (r"time limit", "walltime: it is more than the partition, the account or the QOS allows"),
    (r"access/permission denied|user not allowed", "Slurm does not allow that"),
    (r"slurm temporarily unable to accept job", "Slurm accepts no jobs at the moment; try again later"),
)  # fmt: skip


class SlurmSilent(StartFailed):
    """Slurm does not respond."""


class SlurmRefused(StartFailed):
    """Slurm refuses a request; the message has no full stop at its end."""


class NoSuchNode(SlurmRefused):
    """No node that is usable now has what a job requests."""


_OF_COMMANDS = {"PATH", "HOME", "USER", "LOGNAME", "LD_LIBRARY_PATH", "SLURM_CONF"}


def must_have_slurm() -> None:
    """Refuse where Slurm's commands are not installed. Raises `PreflightFailed`."""
    if (missing := NEEDS.missing(packages=False)) is not None:
        raise PreflightFailed(missing)


def environment(fields: Collection[str] = (), without: Collection[str] = ()) -> dict[str, str]:
    """Return the environment of Slurm's commands, and so of the jobs.

    `fields`: fields of the spec that are set and override defaults from the environment. `without`: variables to
    leave out because jobs get them in another way; not those that the commands need themselves.
    """
    kept = {}
    for name, value in os.environ.items():
        if name in without and name not in _OF_COMMANDS:
            continue
        if name.startswith("SBATCH_"):
            if name not in _DEFAULTS or _DEFAULTS[name] in fields:
                continue
        elif name.startswith(("SQUEUE_", "SINFO_", "SCANCEL_", "SACCTMGR_")):
            continue
        elif name.startswith(("SLURM_", "SRUN_", "SLURMD_")) and name not in _OF_SITE:
            continue  # Of the job that this process is in: its memory and tasks are not those of our jobs.
        kept[name] = value
    return {**kept, "LC_ALL": "C", "SLURM_TIME_FORMAT": "standard"}


def environment_of(spec: SlurmSpec) -> dict[str, str]:
    given = {name for name in ("account", "partition", "qos", "constraint") if getattr(spec, name) is not None}
    return environment(given, without=spec.env or ())


async def ask(
    *command: str, text: str | None = None, env: dict[str, str] | None = None, patience: float = PATIENCE_SECONDS
) -> tuple[str, str]:
    """Run a command of Slurm; return its output and its error messages."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment() if env is None else env,
            start_new_session=True,
        )
    except OSError as error:
        raise SlurmSilent(f"Slurm's command '{command[0]}' cannot be run ({error.strerror}).") from error
    try:
        given = None if text is None else text.encode()
        out, err = await asyncio.wait_for(process.communicate(given), patience)
    except BaseException as error:
        # Sites have wrappers around the commands: what those started is ended, too.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        if not isinstance(error, TimeoutError):
            raise
        raise SlurmSilent(
            f"Slurm does not respond: '{command[0]}' took more than {patience:.0f} seconds. Try again later."
        ) from None
    output, messages = out.decode(errors="replace"), err.decode(errors="replace")
    if process.returncode != 0:
        if _SILENT.search(messages):
            raise SlurmSilent("Slurm's controller does not respond. Try again later, or ask those who run the site.")
        kind = NoSuchNode if re.search(_NO_SUCH_NODE, messages, re.IGNORECASE) else SlurmRefused
        raise kind(refusal(messages or output))
    return output, messages


def refusal(messages: str) -> str:
    """Return why Slurm refused something, without a full stop: a hint, and its own message."""
    lines = [_PREFIX.sub("", line.strip()) for line in messages.splitlines() if line.strip()]
    limit = next((line for line in lines if _LIMIT.fullmatch(line)), None)
    # The last line of a mistyped option is 'Try "sbatch --help" for more information'.
    reasons = [line for line in lines if not line.startswith("Try ")]
    words = limit or next(iter(reasons[::-1]), "without a reason")
    own = printable(words.removeprefix("Batch job submission failed: "), 200).rstrip(".")
    for pattern, hint in _HINTS:
        if re.search(pattern, messages, re.IGNORECASE):
            return f"{hint} (Slurm: {own})"
    return f"Slurm rejected the job: {own}"
