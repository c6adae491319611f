"""Sends secrets to a job without shared storage: through the standard input of a step of the job.

Slurm connects the step to the ``srun`` here. Nothing is on a command line, in an environment or in a script. On the
node it is in files of mode 0600 in a private folder of /tmp, which the job removes.

The output of jobs is bounded as well. Slurm has no bound, and a worker that prints in a loop fills a shared disk in
minutes. The file is shortened in place: slurmstepd and the processes of a job opened it to append, and go on writing to
its end. While it grows fast, a hole is punched into it, which loses nothing; later, or where holes are not supported,
the rest is moved and cut off.
"""

from __future__ import annotations

import base64
import io
import logging
import shutil
import tarfile
from collections.abc import Iterable, Mapping

from ...protocol.errors import GPUClusterError, PreflightFailed
from ..following import Tasks
from . import commands
from .slots import JobSlot

logger = logging.getLogger("gpucluster.backends")

WAIT_SECONDS = 300  # A job ends if it has received nothing in this time.
RECEIVER_SECONDS = 30
SRUN_SECONDS = 60.0
_MARK = '"$SLURM_JOB_ID $SLURMD_NODENAME"'
_RECEIVE = f"""\
umask 077
i=0
while [ $i -lt {RECEIVER_SECONDS * 2} ]; do
  for own in /tmp/gpucluster-*; do
    if [ -O "$own" ] && [ ! -L "$own" ] && [ "$(cat "$own/job" 2>/dev/null)" = {_MARK} ]; then
      mkdir "$own/new" && base64 -d | tar -x -C "$own/new" && mv "$own/new" "$own/given"
      exit
    fi
  done
  sleep 0.5
  i=$((i + 1))
done
echo "the job did not create its folder in /tmp" >&2
exit 1
"""

LAST_WORDS = "trap last_words EXIT"  # Lets a job report why it failed, and remove its folders.
_FUNCTION = """\
last_words() {
  status=$? PATH=$gpucluster_path
  if [ $status -ne 0 ]; then
    said=${said:-$(grep -iE 'error|not found|no such file' "$gpucluster_own/log" | tail -n 1)}
    said=$(printf %s "${said:-$(tail -n 1 "$gpucluster_own/log")}" | tr -d '|' | tr -cd '[:print:]' | cut -c -300)
    scontrol update "jobid=$SLURM_JOB_ID" "comment=${said:-it printed nothing and exited with status $status}"
  fi
  for folder in "$gpucluster_own" "${scratch:-$gpucluster_own}"; do
    # What is handed to it may have such a variable, too.
    if [[ "$folder" == */gpucluster-???????? && -O "$folder" ]]; then rm -rf "$folder"; fi
  done
}"""


def require_srun() -> None:
    """Raise `PreflightFailed` if nothing can be sent to jobs."""
    if shutil.which("srun") is None:
        raise PreflightFailed(
            "shared_storage: without it credentials go through Slurm's command 'srun', which is not on the PATH here."
        )


def receiving() -> list[str]:
    """Return the lines of a job that wait for its files, which will be in the folder ``$gpucluster_own/given``."""
    return [
        # The name first, then what removes it: a job may be cancelled at any line.
        "gpucluster_own=$(mktemp -du /tmp/gpucluster-XXXXXXXX) || exit 1",
        "gpucluster_path=$PATH  # What is handed to it may have another one.",
        *_FUNCTION.splitlines(),
        LAST_WORDS,
        'mkdir -m 700 "$gpucluster_own" || { said="error: cannot create a folder in /tmp on this node"; exit 1; }',
        'exec >>"$gpucluster_own/log" 2>&1',
        *keeping_output_short(),
        f'echo {_MARK} >"$gpucluster_own/job"',
        f'for i in $(seq {2 * WAIT_SECONDS}); do [ -d "$gpucluster_own/given" ] && break; sleep 0.5; done',
        '[ -d "$gpucluster_own/given" ] || { echo "error: the cluster did not pass on its credentials"; exit 1; }',
        '. "$gpucluster_own/given/environment"',
    ]


def packed(files: Mapping[str, str]) -> str:
    """Return files of mode 0600 as text for ``hand``."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, text in files.items():
            data = text.encode()
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(data), 0o600
            archive.addfile(about, io.BytesIO(data))
    return base64.encodebytes(made.getvalue()).decode("ascii")


class Handover:
    """Sends its files to each job of a cluster that has begun, once."""

    def __init__(self, files: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self._files = files
        self._environment = environment
        self._tasks = Tasks()

    def look(self, slots: Iterable[JobSlot]) -> None:
        for slot in slots:
            if slot.seen_running and not slot.given:
                slot.given = True
                self._tasks.begin(self._hand(slot))

    async def _hand(self, slot: JobSlot) -> None:
        try:
            await hand(slot.job_id or "", slot.nodes, packed(self._files), self._environment)
        except GPUClusterError as error:
            slot.given = False  # The next look tries again.
            logger.warning("The credentials could not be passed to job %s: %s", slot.job_id, error.message)

    def close(self) -> None:
        self._tasks.stop()


async def hand(job_id: str, nodes: int, text: str, environment: Mapping[str, str]) -> None:
    """Send the result of ``packed`` to each node of a running job. Raises `SlurmSilent`, `SlurmRefused`."""
    command = (
        "srun", f"--jobid={job_id}", "--overlap", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1",
        "--cpus-per-task=1", "--gres=none", "--cpu-bind=none", "--input=all", "--chdir=/tmp", "--quiet",
        "--job-name=gpucluster", "bash", "-c", _RECEIVE,
    )  # fmt: skip
    await commands.ask(*command, text=text, env=dict(environment), patience=SRUN_SECONDS)


MOST_BYTES = 16 << 20  # Longer files are shortened.
FIRST_BYTES = 1 << 20
LAST_BYTES = 7 << 20
LEFT_OUT = "[gpucluster removed the output between the first 1 MiB and the last 7 MiB]"
LOOK_SECONDS = 1.0
FLOOD_SECONDS = 0.1
_FLOOD_BYTES = 1 << 20  # More than this between two looks is a flood.
_MOST_WITH_HOLE_BYTES = 4 << 30  # Largest apparent size of a file with a hole.

_LINES = f"""\
# Of what this job prints, the first 1 and the last 7 MiB are kept where it is more than 16 MiB.
keep_output_short() {{
  local out=/proc/$BASHPID/fd/1 size=0 before copied kept pause
  [ -f "$out" ] || return
  chmod 600 "$out"
  while kill -0 $$; do
    before=$size size=$(stat -Lc %s "$out")
    if [ "$size" -gt {MOST_BYTES} ]; then
      echo $'\\n{LEFT_OUT}' |
        dd of="$out" bs=1M seek=1 conv=notrunc
      copied=$((size - {LAST_BYTES})) kept={FIRST_BYTES + len(LEFT_OUT) + 2}
      # While it floods, a hole takes no room on the disk, and nothing is lost that comes meanwhile.
      if [ $((size - before)) -le {_FLOOD_BYTES} ] || [ "$size" -gt {_MOST_WITH_HOLE_BYTES} ] ||
        ! fallocate -p -o $kept -l $((copied - kept)) "$out"; then
        # The last bytes are moved forward, then those printed in the meantime; only then is the rest cut off.
        for again in 1 2 3 4; do
          dd if="$out" of="$out" bs=1M iflag=skip_bytes,count_bytes oflag=seek_bytes conv=notrunc \\
            skip=$copied seek=$kept count=$((size - copied)) || break
          kept=$((kept + size - copied)) copied=$size size=$(stat -Lc %s "$out")
          [ "$size" -gt "$copied" ] || break
        done
        truncate -s "<$kept" "$out"
        size=$kept before=0
      fi
    fi
    pause={LOOK_SECONDS:.0f}
    [ $((size - before)) -le {_FLOOD_BYTES} ] || pause={FLOOD_SECONDS}
    sleep $pause || return
  done
}}
keep_output_short 2>/dev/null & disown 2>/dev/null"""


def keeping_output_short() -> list[str]:
    """Return lines for a job's script, after those that redirect its output: they bound it, in the background."""
    return _LINES.splitlines()
