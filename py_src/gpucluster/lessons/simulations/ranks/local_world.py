"""Several ranks in one process: their mailboxes, their meetings, and who waits for what."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from .outcome import RankFailed

# Messages of simulated ranks: sent, in transit, and awaited.


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


# Several ranks in one process: their mailboxes, their meetings, and who waits for what.


EAGER_BYTES = 64 * 1024
"""A send of more than this waits for its receiver, as MPI's usually do."""
PATIENCE_SECONDS = 10


class Deadlock(RankFailed):
    """A rank waits for a message that no rank will send."""


class World:
    """All ranks of one simulated program.

    Parameters
    ----------
    size : int
        Number of ranks.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.messages: list[SentMessage] = []
        self.collectives: list[tuple[str, tuple[Any, ...], int, int]] = []
        """Name, group, rank in the world and bytes of each call of a collective operation."""
        self._received: Counter[int] = Counter()
        self._changed = threading.Condition()
        self._last_change = time.monotonic()
        self._letters: list[Envelope] = []
        self._wanted: list[Wanted] = []
        self._meetings: dict[Any, dict[int, Any]] = {}
        self._waiting: dict[int, Callable[[], bool]] = {}
        self._ended: set[int] = set()
        self._stuck = ""

    def post(self, envelope: Envelope, message: SentMessage) -> None:
        """Put a message into its receiver's mailbox."""
        with self._changed:
            self.messages.append(replace(message, received_before=self._received[message.source]))
            fits = [one for one in self._wanted if one.fits(envelope)]
            if fits:
                self._wanted.remove(fits[0])
                fits[0].letter, envelope.arrived = envelope, True
            else:
                self._letters.append(envelope)
            self._tell()

    def wait_until_taken(self, rank: int, envelope: Envelope) -> None:
        """Block this rank until its message has been received."""
        with self._changed:
            self._wait(rank, lambda: envelope.arrived, f"rank {rank} sends to a rank that does not receive")

    def take(self, rank: int, group: tuple[Any, ...], target: int, source: int, tag: int) -> Envelope:
        """Block this rank until a message has come, and return it."""
        with self._changed:
            words = f"rank {rank} receives, but no rank sends to it"
            self._wait(rank, lambda: self._find(group, target, source, tag) is not None, words)
            found = self._taken(group, target, source, tag)
            assert found is not None
            self._received[rank] += 1
            return found

    def look(self, rank: int, group: tuple[Any, ...], target: int, source: int, tag: int) -> Envelope:
        """Block this rank until a message has come, and leave it there."""
        with self._changed:
            words = f"rank {rank} waits for a message, but no rank sends to it"
            self._wait(rank, lambda: self._find(group, target, source, tag) is not None, words)
            found = self._find(group, target, source, tag)
            assert found is not None
            return found

    def has_come(self, group: tuple[Any, ...], target: int, source: int, tag: int) -> Envelope | None:
        """Return the message that could be received now, and leave it there."""
        with self._changed:
            found = self._find(group, target, source, tag)
            if found is None:
                self.look_alive()
            return found

    def want(self, group: tuple[Any, ...], target: int, source: int, tag: int) -> Wanted:
        """Note that a rank has begun to receive; the next message that fits is for this receive."""
        with self._changed:
            wanted = Wanted(group, target, source, tag, self._taken(group, target, source, tag))
            if wanted.letter is None:
                self._wanted.append(wanted)
            return wanted

    def wait_for(self, rank: int, wanted: Wanted) -> None:
        """Block this rank until what it has begun to receive has come."""
        with self._changed:
            words = f"rank {rank} receives, but no rank sends to it"
            self._wait(rank, lambda: wanted.letter is not None, words)

    def note_received(self, rank: int) -> None:
        """Note that a rank has got what it had begun to receive."""
        with self._changed:
            self._received[rank] += 1

    def look_alive(self) -> None:
        """Raise an error when nothing has happened for a long time."""
        if self._stuck or time.monotonic() - self._last_change > PATIENCE_SECONDS:
            raise Deadlock(
                self._stuck or (f"Nothing has been sent for {PATIENCE_SECONDS} s, and a rank is still waiting.")
            )

    def meet(self, rank: int, place: Any, members: int, value: Any) -> dict[int, Any]:
        """Block this rank until all members have come to a place; return what they brought, by rank."""
        with self._changed:
            here = self._meetings.setdefault(place, {})
            here[rank] = value
            self._tell()
            name = place[-1]
            words = f"rank {rank} calls {name}, and not all ranks of its communicator call it as often"
            self._wait(rank, lambda: len(here) == members, words)
            return here

    def end(self, rank: int, failed: bool) -> None:
        """A rank has returned, or ended with an error."""
        with self._changed:
            self._ended.add(rank)
            if failed:
                self._stuck = self._stuck or f"Another rank waits for rank {rank}, which has ended with an error."
            self._tell()

    def _wait(self, rank: int, ready: Callable[[], bool], words: str) -> None:
        self._waiting[rank] = ready
        try:
            if not ready():
                self._look_for_deadlock(words)
            while not ready():
                if self._stuck:
                    raise Deadlock(self._stuck)
                self._changed.wait()
        finally:
            del self._waiting[rank]

    def _tell(self) -> None:
        self._last_change = time.monotonic()
        self._look_for_deadlock("a rank waits for one that has ended")
        self._changed.notify_all()

    def _look_for_deadlock(self, words: str) -> None:
        all_wait = len(self._waiting) + len(self._ended) >= self.size
        if all_wait and self._waiting and not any(ready() for ready in self._waiting.values()):
            sentence = words[0].upper() + words[1:]
            self._stuck = self._stuck or f"The ranks wait for each other forever (a deadlock): {sentence}."
            self._changed.notify_all()

    def _find(self, group: tuple[Any, ...], target: int, source: int, tag: int) -> Envelope | None:
        for letter in self._letters:
            if Wanted(group, target, source, tag).fits(letter):
                return letter
        return None

    def _taken(self, group: tuple[Any, ...], target: int, source: int, tag: int) -> Envelope | None:
        found = self._find(group, target, source, tag)
        if found is not None:
            self._letters.remove(found)
            found.arrived = True
            self._last_change = time.monotonic()
            self._changed.notify_all()
        return found
