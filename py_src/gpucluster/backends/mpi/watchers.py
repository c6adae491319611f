"""Which rank was the first to go without a word: launchers end all ranks of a program then, and name a wrong one."""

from __future__ import annotations

import asyncio
import os
import socket

from ...operating_system.processes import descriptor_of


class Watchers:
    """The outer processes of the ranks that run on this host, each of which says what has become of its rank.

    One that is killed can say nothing. The system tells their ends in their order, and so which one was killed and
    which ones the launcher has ended because of that.
    """

    def __init__(self) -> None:
        self.first_gone: str | None = None
        """The rank whose process was the first to end."""
        self._descriptors: dict[int, str] = {}

    def watch(self, rank: str, pid: int, host: str) -> None:
        """Watch one process from now on."""
        descriptor = descriptor_of(pid) if host == socket.gethostname() else None
        if descriptor is not None:
            self._descriptors[descriptor] = rank
            asyncio.get_running_loop().add_reader(descriptor, self._gone, descriptor)

    def _gone(self, descriptor: int) -> None:
        self.first_gone = self.first_gone or self._descriptors[descriptor]
        self._forget(descriptor)

    def _forget(self, descriptor: int) -> None:
        asyncio.get_running_loop().remove_reader(descriptor)
        del self._descriptors[descriptor]
        os.close(descriptor)

    def close(self) -> None:
        """Watch none any more."""
        for descriptor in list(self._descriptors):
            self._forget(descriptor)
