"""What a message looks like on its way between two ranks.

Each message begins with an *envelope*, at most ``INLINE_BYTES`` of frames included. The others follow in *blocks*: a
large frame is one by itself, small ones share some, as each costs MPI about the same whatever its size. Blocks above
``PIECE_BYTES`` are sent as several buffers. All have the tag of their connection: MPI keeps the order of what one rank
sends another with one tag, so they need no names, and both sides find from the sizes alone what is in which block.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

INLINE_BYTES = 32 * 1024
"""Of frames that travel within the envelope. MPICH and Open MPI send as much within one machine without asking the
receiver first; the copy that joins them costs a few microseconds."""
SHARED_BYTES = 64 * 1024
"""Frames up to this size share blocks: to copy as much takes no longer than to send and to await a buffer more."""
BLOCK_BYTES = 2**20
"""Of a block that frames share, which is one piece. It lives as long as the last of them does."""
PIECE_BYTES = 2**30
"""Counts of MPI are 32-bit numbers in many of its functions."""
_HEAD = struct.Struct("<BiQII")
"""Kind, rank that began the connection, its number there, tag of the buffers, number of frames."""
MOST_FRAMES = 2**24


class Kind(IntEnum):
    """What an envelope is for."""

    OPEN = 1
    MESSAGE = 2
    CLOSE = 3


@dataclass(frozen=True)
class Key:
    """The name of a connection, the same on both of its sides."""

    opener: int
    """The rank that began it."""
    number: int


@dataclass(frozen=True)
class Envelope:
    """What one rank tells another."""

    kind: Kind
    key: Key
    tag: int = 0
    sizes: tuple[int, ...] = ()
    """Bytes of each frame."""
    inline: tuple[bool, ...] = ()
    """Which of them are in the envelope."""
    body: memoryview = field(default_factory=lambda: memoryview(b""))

    @cached_property
    def blocks(self) -> list[list[int]]:
        """Places of the frames that are in each block."""
        return shared([place for place, inline in enumerate(self.inline) if not inline], self.sizes)

    @property
    def block_sizes(self) -> list[int]:
        """Bytes of each block."""
        return [sum(self.sizes[place] for place in block) for block in self.blocks]

    def frames(self, buffers: Sequence[Any]) -> list[Any]:
        """Return all frames in their order, given the blocks."""
        found: list[Any] = [None] * len(self.sizes)
        begin = 0
        for place, (size, inline) in enumerate(zip(self.sizes, self.inline, strict=True)):
            if inline:
                found[place] = self.body[begin : begin + size]
                begin += size
        for block, buffer in zip(self.blocks, buffers, strict=True):
            if len(block) == 1:
                found[block[0]] = buffer
                continue
            view, begin = memoryview(buffer), 0
            for place in block:
                found[place] = view[begin : begin + self.sizes[place]]
                begin += self.sizes[place]
        return found


def shared(places: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Share out frames to blocks.

    Parameters
    ----------
    places : sequence of int
        Of the frames that travel in blocks.
    sizes : sequence of int
        Bytes of all frames.

    Returns
    -------
    list of list of int
        Places by block; the order within a block is that of the frames.
    """
    blocks: list[list[int]] = []
    small: list[int] = []
    room = 0
    for place in places:
        if sizes[place] > SHARED_BYTES:
            blocks.append([place])
            continue
        if sizes[place] > room:
            small, room = [], BLOCK_BYTES
            blocks.append(small)
        small.append(place)
        room -= sizes[place]
    return blocks


def encode(kind: Kind, key: Key, tag: int = 0, frames: Sequence[Any] = ()) -> tuple[bytes, list[list[memoryview]]]:
    """Return an envelope, and the frames of each block that follows.

    Parameters
    ----------
    kind : Kind
    key : Key
    tag : int
        Of the buffers that follow.
    frames : sequence of buffers
    """
    # Python casts no view with a length of zero in it.
    views = [view.cast("B") if (view := memoryview(frame)).nbytes else memoryview(b"") for frame in frames]
    sizes = [view.nbytes for view in views]
    # The small ones first: many of them are metadata beside one large buffer.
    left, inline = INLINE_BYTES, [False] * len(sizes)
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        if sizes[place] > left:
            break
        inline[place], left = True, left - sizes[place]
    count = len(sizes)
    parts: list[Any] = [
        _HEAD.pack(kind, key.opener, key.number, tag, count),
        struct.pack(f"<{count}Q", *sizes),
        bytes(inline),
    ]
    parts += [view for view, within in zip(views, inline, strict=True) if within]
    blocks = shared([place for place, within in enumerate(inline) if not within], sizes)
    return b"".join(parts), [[views[place] for place in block] for block in blocks]


def decode(received: memoryview) -> Envelope:
    """Read an envelope.

    Raises
    ------
    ValueError
        It is none.
    """
    try:
        kind, opener, number, tag, count = _HEAD.unpack_from(received)
        if count > MOST_FRAMES:
            raise ValueError(f"{count} frames")
        place = _HEAD.size
        sizes = struct.unpack_from(f"<{count}Q", received, place)
        place += 8 * count
        inline = tuple(map(bool, received[place : place + count]))
    except struct.error as error:
        raise ValueError(str(error)) from error
    body = received[place + count :]
    if len(inline) != count or sum(size for size, within in zip(sizes, inline, strict=True) if within) != body.nbytes:
        raise ValueError("its sizes do not add up")
    return Envelope(Kind(kind), Key(opener, number), tag, sizes, inline, body)


def pieces(view: memoryview) -> list[memoryview]:
    """Cut a buffer into what MPI carries at once."""
    return [view[begin : begin + PIECE_BYTES] for begin in range(0, view.nbytes, PIECE_BYTES)]
