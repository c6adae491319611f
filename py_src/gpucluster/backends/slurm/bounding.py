"""Bounds what a job prints: lines of shell that keep the beginning and the end of its output file.

Slurm bounds no output, and a worker that prints in a loop has filled a disk that many share in minutes. The file is
shortened where it is: slurmstepd and all that a job starts go on writing to its end, as they have opened it to append.
While much comes at once, a hole in the file does it, which loses nothing; when it is calm again, or where there are no
holes, the rest is cut off.
"""

from __future__ import annotations

MOST_BYTES = 16 << 20
"""A file that has more is shortened."""
FIRST_BYTES = 1 << 20
LAST_BYTES = 7 << 20
LEFT_OUT = "[gpucluster has left out here what was printed between the first 1 and the last 7 MiB]"
LOOK_SECONDS = 1.0
FLOOD_SECONDS = 0.1
_FLOOD_BYTES = 1 << 20
"""So much between two looks is a flood."""
_MOST_WITH_HOLE_BYTES = 4 << 30
"""A file seems to be no longer than that, whatever room it takes."""

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
        # The last bytes are moved forward, then those that were printed meanwhile; only then is the rest cut off.
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
    """Return the lines for a job's script, after its output has been sent to where it stays.

    They start a loop in the background that looks at the file once a second, ten times a second while it grows fast,
    and ends with the job. Where standard output is no file, or cannot be found, they do nothing.
    """
    return _LINES.splitlines()
