"""Messages of simulated ranks: as they were sent, under way, and awaited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["buffer", "pickle"]


@dataclass(frozen=True)
class SentMessage:
    """One message from rank to rank, both counted in the whole world.

    Attributes
    ----------
    kind : {"buffer", "pickle"}
        How it travelled.
    bytes : int
        Its size; of a pickled object, that of the pickle.
    received_before : int
        How many messages its sender had received before.
    """

    source: int
    target: int
    kind: Kind
    bytes: int
    tag: int
    received_before: int = 0


@dataclass(eq=False)
class Envelope:
    """A message that is under way."""

    group: tuple[Any, ...]
    source: int
    target: int
    tag: int
    kind: Kind
    data: bytes
    arrived: bool = False


@dataclass(eq=False)
class Wanted:
    """A receive that has begun; -1 and -2 stand for any source and any tag."""

    group: tuple[Any, ...]
    target: int
    source: int
    tag: int
    letter: Envelope | None = None

    def fits(self, letter: Envelope) -> bool:
        """Whether a message is one that this receive waits for."""
        mine = letter.group == self.group and letter.target == self.target
        return mine and self.source in (-1, -2, letter.source) and self.tag in (-1, letter.tag)
