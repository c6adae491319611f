"""What is said where ranks call different collective operations."""

from __future__ import annotations

from ..errors import RanksDisagree

SAME_ORDER = "The numbers count each rank's operations. All ranks must call the same operations in the same order."


def disagreement(rank: int, calls: str, other: int, theirs: str) -> RanksDisagree:
    """Return the error of a rank that has learnt what another one calls.

    Parameters
    ----------
    rank, other : int
    calls, theirs : str
        What they call, each with its number, as in 'reduce (2)'.
    """
    return RanksDisagree(f"Rank {rank} calls {calls}, but rank {other} calls {theirs}. {SAME_ORDER}")
