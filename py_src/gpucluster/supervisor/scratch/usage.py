"""What the files below a directory take, without walking through a huge tree."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MOST_ENTRIES = 20_000
_BLOCK_BYTES = 512


def used_bytes(directory: Path, most_entries: int = MOST_ENTRIES) -> int:
    """Return what the files below a directory take on its disk, at least: after so many entries nothing more is read.

    Links are not followed, and what vanishes meanwhile does not count.
    """
    total, left, waiting = 0, most_entries, [str(directory)]
    while waiting and left > 0:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left <= 0:
                    break
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
    return total
