"""What a message looks like on its way between two ranks.

Each message begins with an *envelope*, at most ``INLINE_BYTES`` of frames included. Larger frames follow by
themselves, each as one buffer or, above ``PIECE_BYTES``, as several, with the tag of their connection: MPI keeps the
order of what one rank sends another with one tag, so they need no names.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

INLINE_BYTES = 32 * 1024
"""Of frames that travel within the envelope. MPICH and Open MPI send as much within one machine without asking the
receiver first; the copy that joins them costs a few microseconds."""
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

    def frames(self, buffers: Sequence[Any]) -> list[Any]:
        """Return all frames in their order, given those that came by themselves."""
        found, place, rest = [], 0, iter(buffers)
        for size, inline in zip(self.sizes, self.inline, strict=True):
            if inline:
                found.append(self.body[place : place + size])
                place += size
            else:
                found.append(next(rest))
        return found

    @property
    def alone(self) -> list[int]:
        """Sizes of the frames that come by themselves."""
        return [size for size, inline in zip(self.sizes, self.inline, strict=True) if not inline]


def encode(kind: Kind, key: Key, tag: int = 0, frames: Sequence[Any] = ()) -> tuple[bytes, list[memoryview]]:
    """Return an envelope, and the frames that travel by themselves.

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
    return b"".join(parts), [view for view, within in zip(views, inline, strict=True) if not within]


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
