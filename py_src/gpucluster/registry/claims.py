"""Which GPUs are spoken for: a cluster that has just chosen one does not use any memory of it yet.

A claim keeps nobody out. It lets the next cluster that may choose for itself choose another GPU.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from . import lock

_MODE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class DeviceClaims:
    """The claims of this process and of other clusters in the same registry.

    They are locks, so they end with the process that holds them, however it ends.

    Parameters
    ----------
    directory : Path
        Of the registry.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "devices"
        self._held: list[int] = []

    @contextmanager
    def choosing(self) -> Iterator[frozenset[str]]:
        """Let nobody else choose meanwhile; gives the UUIDs that other clusters have claimed."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        with lock.held(self._directory / "lock"):
            yield frozenset(self._claimed())

    def claim(self, uuids: Iterable[str]) -> None:
        """Claim devices until this process ends. Others may have claimed them, too."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        for uuid in uuids:
            descriptor = os.open(self._directory / _file_name(uuid), _MODE, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._held.append(descriptor)

    def release(self) -> None:
        """Give all claims of this object back."""
        while self._held:
            os.close(self._held.pop())

    def _claimed(self) -> Iterator[str]:
        for path in self._directory.glob("device-*"):
            descriptor = os.open(path, _MODE, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield unquote(path.name.removeprefix("device-"))
            finally:
                os.close(descriptor)


def _file_name(uuid: str) -> str:
    return f"device-{quote(uuid, safe='')}"
