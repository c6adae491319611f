"""Which GPUs are spoken for by clusters of this user, where the system has no claims between users (``sharing``).

A claim keeps nobody out. It lets the next cluster that may choose for itself choose another GPU.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from ..sharing.policy import DEFAULT, GPUPolicy
from . import lock

_MODE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class DeviceClaims:
    """The claims of this process and of other clusters in the same registry.

    They are locks, so they end with the process that holds them, however it ends.

    Parameters
    ----------
    directory : Path
        Of the registry.
    policy : GPUPolicy, optional
        What the site says; slots there are none.
    """

    def __init__(self, directory: Path, policy: GPUPolicy = DEFAULT) -> None:
        self.policy = policy
        self._directory = directory / "devices"
        self._held: list[int] = []

    @contextmanager
    def choosing(self) -> Iterator[Mapping[str, int]]:
        """Let no other cluster of this user choose meanwhile; gives the UUIDs that are claimed, with 1 each."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        with lock.held(self._directory / "lock"):
            yield Counter(self._claimed())

    def claim(self, uuids: Iterable[str]) -> None:
        """Claim devices until this process ends. Others may have claimed them, too."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        for uuid in uuids:
            descriptor = os.open(self._directory / _file_name(uuid), _MODE, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            self._held.append(descriptor)

    def tell_end(self, ends: float | None) -> None:
        """Nobody asks: there is no line."""

    def release(self) -> None:
        """Give all claims of this object back."""
        while self._held:
            os.close(self._held.pop())

    def _claimed(self) -> Iterator[str]:
        for path in self._directory.glob("device-*"):
            uuid = unquote(path.name.removeprefix("device-"))
            if _file_name(uuid) != path.name or path.is_symlink() or not path.is_file():
                continue
            descriptor = os.open(path, _MODE, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield uuid
            finally:
                os.close(descriptor)


def _file_name(uuid: str) -> str:
    return f"device-{quote(uuid, safe='')}"
