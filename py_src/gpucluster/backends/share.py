"""What is left of a user's share of this machine, as far as a backend has to know; ``site.share`` counts it."""

from __future__ import annotations

from typing import Protocol

from ..protocol.spec import SpecBase


class RemainingShare(Protocol):
    """What a request gets that leaves something open; what was asked for is judged by the supervisor."""

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return how many workers a cluster gets that leaves their number open, of so many that it would have."""

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return the memory of each of so many workers, which would have so many bytes."""


class Everything:
    """No site says anything."""

    def lowered(self, spec: SpecBase, would_be: int) -> int:
        """Return as many."""
        return would_be

    def memory_limit(self, spec: SpecBase, memory_bytes: int, workers: int) -> int:
        """Return as much."""
        return memory_bytes
