"""The format of messages between two ranks.

Each message begins with an *envelope*, which includes up to ``INLINE_BYTES`` of frames. The others follow in *blocks*:
a large frame is a block, small ones share blocks, because each costs MPI about the same for any size. distributed cuts
arrays above 64 MiB; their frames, which are adjacent in memory, are one block, and are adjacent again at the receiver,
so that they are one array without a copy. Blocks are sent as buffers of up to ``PIECE_BYTES``. All have the tag of
their connection: MPI keeps the order of messages between two ranks with one tag, so they need no names, and both sides
derive the contents of each buffer from the envelope.
"""

import itertools
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pickle import PickleBuffer
from typing import Any

import numpy as np

INLINE_BYTES = 32 * 1024
"""Bytes of frames within the envelope. MPICH and Open MPI send this much within one machine without a rendezvous;
joining the frames takes a few microseconds."""
SHARED_BYTES = 64 * 1024  # Frames up to this size share blocks: copying costs no more than another buffer.
BLOCK_BYTES = 2**20  # Size of a shared block, which is one piece and lives as long as the last of its frames.
PIECE_BYTES = 2**30  # Counts are 32-bit numbers in many MPI functions.
_HEAD = struct.Struct("<BiQII")  # Kind, rank that opened the connection, its number there, tag, number of frames.
MOST_FRAMES = 2**24
IN_ENVELOPE, RIGHT_AFTER = 255, 254
"""Instead of an address: the frame is in the envelope; the frame begins where the previous one ends."""
LINE_BYTES = 64
"""Copying is fastest, by up to a factor of two, between addresses that are equal modulo this. So frames keep their
address modulo this, and their alignment with it."""


class Kind(IntEnum):
    OPEN = 1
    MESSAGE = 2
    CLOSE = 3


@dataclass(frozen=True)
class Key:
    """The identity of a connection, on both of its sides."""

    opener: int  # The rank that opened it.
    number: int


@dataclass(frozen=True)
class Envelope:
    """The beginning of a message."""

    kind: Kind
    key: Key
    tag: int = 0
    sizes: tuple[int, ...] = ()  # Bytes of each frame.
    begins: tuple[int, ...] = ()
    """For each frame: its address modulo ``LINE_BYTES`` at the sender, ``IN_ENVELOPE`` or ``RIGHT_AFTER``."""
    body: memoryview = field(default_factory=lambda: memoryview(b""))

    @cached_property
    def blocks(self) -> list[list[int]]:
        """Positions of the frames in each block."""
        return blocks_of(self.sizes, self.begins)

    def allocated(self, take: Callable[[int, int], Any]) -> list[Any]:
        """Return memory for each block. `take`: allocates from a size and an address modulo ``LINE_BYTES``."""
        return [
            take(sum(self.sizes[place] for place in block), self.begins[block[0]] if self._is_large(block) else 0)
            for block in self.blocks
        ]

    def pieces(self, buffers: Sequence[Any]) -> list[memoryview]:
        """Return the parts of the blocks' memory that are received separately."""
        found = []
        for block, buffer in zip(self.blocks, buffers, strict=True):
            views = self._split(block, buffer) if self._is_large(block) else [memoryview(buffer)]
            found += [piece for view in views for piece in pieces(view)]
        return found

    def frames(self, buffers: Sequence[Any]) -> list[Any]:
        """Return all frames in order, from the blocks' memory."""
        found: list[Any] = [None] * len(self.sizes)
        begin = 0
        for place, (size, how) in enumerate(zip(self.sizes, self.begins, strict=True)):
            if how == IN_ENVELOPE:
                found[place] = self.body[begin : begin + size]
                begin += size
        for block, buffer in zip(self.blocks, buffers, strict=True):
            for place, frame in zip(block, self._split(block, buffer), strict=True):
                found[place] = frame
        return found

    def _is_large(self, block: list[int]) -> bool:
        return self.sizes[block[0]] > SHARED_BYTES

    def _split(self, block: list[int], buffer: Any) -> list[memoryview]:
        view = memoryview(buffer)
        ends = list(itertools.accumulate(self.sizes[place] for place in block))
        return [view[begin:end] for begin, end in itertools.pairwise([0, *ends])]


def blocks_of(sizes: Sequence[int], begins: Sequence[int]) -> list[list[int]]:
    """Assign the frames of an envelope to blocks: positions by block, in the order of the frames."""
    blocks: list[list[int]] = []
    small: list[int] = []
    room = 0
    for place, (size, begin) in enumerate(zip(sizes, begins, strict=True)):
        if begin == IN_ENVELOPE:
            continue
        if begin == RIGHT_AFTER:
            blocks[-1].append(place)
            continue
        if size > SHARED_BYTES:
            blocks.append([place])
            continue
        if size > room:
            small, room = [], BLOCK_BYTES
            blocks.append(small)
        small.append(place)
        room -= size
    return blocks


def encode(kind: Kind, key: Key, tag: int = 0, frames: Sequence[Any] = ()) -> tuple[bytes, list[list[memoryview]]]:
    """Return an envelope, and the parts of each buffer that follows with this tag."""
    views = [_flat(memoryview(frame)) for frame in frames]
    sizes = [view.nbytes for view in views]
    begins = _begins(views)
    # Small frames first: many are metadata of one large buffer.
    left = INLINE_BYTES
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        if sizes[place] > left:
            break
        if begins[place] != RIGHT_AFTER:
            begins[place], left = IN_ENVELOPE, left - sizes[place]
    count = len(sizes)
    head = _HEAD.pack(kind, key.opener, key.number, tag, count)
    parts: list[Any] = [head, struct.pack(f"<{count}Q", *sizes), bytes(begins)]
    parts += [view for view, begin in zip(views, begins, strict=True) if begin == IN_ENVELOPE]
    buffers: list[list[memoryview]] = []
    for block in blocks_of(sizes, begins):
        if sizes[block[0]] > SHARED_BYTES:
            buffers += [[piece] for place in block for piece in pieces(views[place])]
        else:
            buffers.append([views[place] for place in block])
    return b"".join(parts), buffers


def _flat(view: memoryview) -> memoryview:
    """Return a flat view of its bytes; a copy if they are not contiguous."""
    if not view.nbytes:
        return memoryview(b"")  # Python cannot cast a view with a zero in its shape.
    if view.c_contiguous:
        # Not distributed's ensure_memoryview, whose result has another .obj for each part of an array.
        return view.cast("B")
    return PickleBuffer(view).raw() if view.contiguous else memoryview(view.tobytes())


def _begins(views: Sequence[memoryview]) -> list[int]:
    """Return where frames begin; for small ones, only whether they directly follow a large one."""
    begins = [0] * len(views)
    end: tuple[int, int] | None = None
    for place, view in enumerate(views):
        if not view.nbytes or (end is None and view.nbytes <= SHARED_BYTES):
            end = None
            continue
        owner, address = id(view.obj), np.frombuffer(view, "u1").__array_interface__["data"][0]
        if end == (owner, address):
            begins[place] = RIGHT_AFTER
        elif view.nbytes > SHARED_BYTES:
            begins[place] = address % LINE_BYTES
        else:
            end = None
            continue
        end = owner, address + view.nbytes
    return begins


def decode(received: memoryview) -> Envelope:
    """Read an envelope; `ValueError` if it is malformed."""
    try:
        kind, opener, number, tag, count = _HEAD.unpack_from(received)
        if count > MOST_FRAMES:
            raise ValueError(f"{count} frames")
        place = _HEAD.size
        sizes = struct.unpack_from(f"<{count}Q", received, place)
        place += 8 * count
        begins = tuple(received[place : place + count])
    except struct.error as error:
        raise ValueError(str(error)) from error
    body = received[place + count :]
    if (
        len(begins) != count
        or sum(size for size, begin in zip(sizes, begins, strict=True) if begin == IN_ENVELOPE) != body.nbytes
    ):
        raise ValueError("its sizes do not add up")
    has_large = False
    for size, begin in zip(sizes, begins, strict=True):
        if begin == RIGHT_AFTER and not has_large:
            raise ValueError("a frame follows none")
        if LINE_BYTES <= begin < RIGHT_AFTER:
            raise ValueError(f"a frame begins at {begin}")
        has_large = begin == RIGHT_AFTER or (begin != IN_ENVELOPE and size > SHARED_BYTES)
    return Envelope(Kind(kind), Key(opener, number), tag, sizes, begins, body)


def pieces(view: memoryview) -> list[memoryview]:
    """Cut a buffer into pieces of the size that MPI can send."""
    return [view[begin : begin + PIECE_BYTES] for begin in range(0, view.nbytes, PIECE_BYTES)]
