"""Messages between ranks: what is sent is what arrives, in memory that is reused."""

import gc
import itertools
import threading
from mmap import PAGESIZE
from typing import Any

import numpy as np
import pytest
from distributed.protocol import deserialize, serialize
from distributed.protocol.utils import merge_memoryviews
from gpucluster.comm.mpi import memory, wire
from gpucluster.comm.mpi.channel import Arriving, Channel
from gpucluster.comm.mpi.memory import KEPT_BYTES, LEAST_BYTES, Memory
from gpucluster.comm.mpi.wire import INLINE_BYTES, LINE_BYTES, SHARED_BYTES, Envelope, Key, Kind, decode, encode
from gpucluster.comm.mpi.world import PREFIX, Location, parse
from hypothesis import given, settings
from hypothesis import strategies as st

FRAMES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.integers(INLINE_BYTES - 3, INLINE_BYTES + 3).map(bytes),
        st.integers(SHARED_BYTES - 1, SHARED_BYTES + 1).map(bytes),
    ),
    max_size=40,
)


@given(st.sampled_from(Kind), st.integers(0, 2**31 - 1), st.integers(0, 2**64 - 1), st.integers(2, 2**31), FRAMES)
def test_frames_come_back_in_their_order(kind, rank, number, tag, frames):
    sent, buffers = encode(kind, Key(rank, number), tag, frames)
    found = decode(memoryview(bytearray(sent)))
    assert (found.kind, found.key, found.tag) == (kind, Key(rank, number), tag)
    assert [bytes(frame) for frame in received(found, buffers)] == frames
    assert len(sent) <= INLINE_BYTES + 9 * len(frames) + 32


CUTS = st.lists(st.sampled_from([0, 1, 100, SHARED_BYTES, SHARED_BYTES + 1, 3 * SHARED_BYTES]), max_size=12)


@given(CUTS, st.integers(0, 200), st.booleans())
def test_adjacent_frames_stay_adjacent(sizes, first, apart):
    """As distributed cuts large arrays, and joins their frames without a copy if they are adjacent."""
    whole = memoryview(np.random.default_rng(0).integers(0, 256, first + sum(sizes) + len(sizes), "u1"))
    ends = list(itertools.accumulate([first, *(size + apart for size in sizes)]))
    frames = [whole[begin : begin + size] for begin, size in zip(ends[:-1], sizes, strict=True)]
    sent, buffers = encode(Kind.MESSAGE, Key(0, 1), 2, frames)
    found = decode(memoryview(sent))
    came = received(found, buffers)
    assert [bytes(frame) for frame in came] == [bytes(frame) for frame in frames]
    for place, size in enumerate(sizes):
        if size > SHARED_BYTES:
            assert (place_of(came[place]) - place_of(frames[place])) % LINE_BYTES == 0
            if not apart and sum(sizes[place + 1 : place + 2]):
                joined = merge_memoryviews(came[place : place + 2])
                assert bytes(joined) == bytes(came[place]) + bytes(came[place + 1])


def received(found: Envelope, buffers: list[list[memoryview]]) -> list[Any]:
    """Return the frames of an envelope after they are received into memory."""
    blocks = found.allocated(Memory().take)
    for piece, parts in zip(found.pieces(blocks), buffers, strict=True):
        piece[:] = b"".join(parts)
    return found.frames(blocks)


def place_of(view: Any) -> int:
    return int(np.frombuffer(view, "u1").__array_interface__["data"][0])


def test_frames_may_be_multidimensional_and_empty():
    frames = [np.ones((2, 3)), np.empty((0, 5)), np.ones((INLINE_BYTES, 2))]
    sent, buffers = encode(Kind.MESSAGE, Key(0, 1), 2, frames)
    assert [len(frame) for frame in received(decode(memoryview(sent)), buffers)] == [48, 0, 16 * INLINE_BYTES]


def test_frames_may_be_discontiguous():
    numbers = np.arange(3 * SHARED_BYTES, dtype="u1").reshape(3, -1)
    frames = [memoryview(numbers.T), memoryview(numbers)[::2], memoryview(bytes(range(100)))[::-3]]
    sent, buffers = encode(Kind.MESSAGE, Key(0, 1), 2, frames)
    assert [bytes(frame) for frame in received(decode(memoryview(sent)), buffers)] == [
        numbers.tobytes(), numbers[::2].tobytes(), bytes(range(100))[::-3],
    ]  # fmt: skip


def test_small_frames_share_blocks_and_large_ones_do_not():
    small, large = [bytes(40)] * 100_000, [bytes(SHARED_BYTES + 1)] * 3
    _, blocks = encode(Kind.MESSAGE, Key(0, 1), 2, [*small, *large])
    assert 5 <= len(blocks) <= 8
    assert [sum(map(len, block)) for block in blocks[-3:]] == [SHARED_BYTES + 1] * 3
    assert all(sum(map(len, block)) <= wire.BLOCK_BYTES for block in blocks)


@given(st.binary(max_size=200))
def test_malformed_envelope_is_refused(noise):
    sent, _ = encode(Kind.MESSAGE, Key(0, 1), 2, [b"abc", b"de"])
    for wrong in (noise[:20], sent[:-1], sent + b"x"):
        with pytest.raises(ValueError):  # noqa: PT011 - which of the checks finds it does not matter
            decode(memoryview(wrong))


@pytest.mark.parametrize(
    "begins", [(wire.RIGHT_AFTER, 0), (0, wire.RIGHT_AFTER), (LINE_BYTES, 0), (wire.RIGHT_AFTER - 1, 0)]
)
def test_impossible_begins_of_frames_are_refused(begins):
    sizes = (SHARED_BYTES, 5)
    sent, _ = encode(Kind.MESSAGE, Key(0, 1), 2, [bytes(size) for size in sizes])
    head = len(sent) - 5 - len(sizes)
    with pytest.raises(ValueError, match="a frame"):
        decode(memoryview(sent[:head] + bytes(begins)))


def test_large_buffers_are_cut(monkeypatch):
    monkeypatch.setattr(wire, "PIECE_BYTES", 10)
    assert [piece.nbytes for piece in wire.pieces(memoryview(bytes(25)))] == [10, 10, 5]
    assert wire.pieces(memoryview(b"")) == []


def test_address_has_port_rank_and_world():
    location = Location("10.0.0.7:4000", 3, "5f0c2a9e1b7d4c36")
    assert parse(f"{PREFIX}{location}") == parse(str(location)) == location
    assert parse("10.0.0.7:4000") == Location("10.0.0.7:4000")
    for wrong in ("h:1/3", "h:1/x.5f0c2a9e1b7d4c36", "h:1/3.5F0C2A9E1B7D4C36", "h:1/-1.5f0c2a9e1b7d4c36"):
        with pytest.raises(ValueError, match="not the address of a rank"):
            parse(wrong)


def arriving(*sizes: int) -> Arriving:
    return Arriving(Envelope(Kind.MESSAGE, Key(0, 1), 2, sizes, tuple(0 for _ in sizes)))


def test_unread_messages_wait_at_the_sender(monkeypatch):
    monkeypatch.setattr("gpucluster.comm.mpi.channel.WINDOW_BYTES", 100)
    channel = Channel(Key(0, 1), 1, 2, 3, opened_here=True)
    messages = [arriving(60), arriving(60), arriving(60)]
    channel.arriving.extend(messages)
    assert channel.to_receive() == messages[:2], "the one that begins within the window is taken whole"
    for message in messages[:2]:
        message.is_received = True
    assert channel.to_receive() == []
    assert channel.take() is messages[0]
    assert channel.to_receive() == messages[2:]
    channel.closed_here = True
    channel.arriving.extend([arriving(200), arriving(10)])
    assert len(channel.to_receive()) == 3, "messages of a closed connection are received at once"


MEBIBYTE = 2**20


@pytest.mark.full
def test_block_is_reused_only_after_all_references_are_gone():
    kept = Memory()
    header, frames = serialize(np.arange(MEBIBYTE))
    lent = kept.take(8 * MEBIBYTE)
    lent[:] = np.frombuffer(frames[-1], "u1")
    first = place_of(lent)
    array = deserialize(header, [*frames[:-1], memoryview(lent)])
    part = array[10:20]
    del lent, array
    gc.collect()
    assert kept.kept_bytes == 0, "a part of it is still in use"
    other = kept.take(8 * MEBIBYTE)
    assert place_of(other) != first
    assert part.tolist() == list(range(10, 20))
    del part
    gc.collect()
    assert kept.kept_bytes == 8 * MEBIBYTE + PAGESIZE
    assert place_of(kept.take(8 * MEBIBYTE)) == first


def test_small_blocks_are_numpys_own():
    kept = Memory()
    lent = kept.take(LEAST_BYTES - 1)
    assert lent.base.flags.owndata
    del lent
    assert kept.kept_bytes == 0


def test_unused_memory_is_limited_and_freed_later(monkeypatch):
    kept = Memory()
    blocks = [kept.take(40 * MEBIBYTE) for _ in range(5)]
    del blocks
    gc.collect()
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE) <= KEPT_BYTES
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE)
    larger = kept.take(KEPT_BYTES + 1)
    del larger
    kept.forget_old()
    assert kept.kept_bytes == 3 * (40 * MEBIBYTE + PAGESIZE), "a block that is too large displaces none"
    monkeypatch.setattr(memory, "KEPT_SECONDS", -1.0)
    kept.forget_old()
    assert kept.kept_bytes == 0


def test_blocks_are_freed_in_any_thread():
    kept = Memory()
    blocks = [kept.take(2 * MEBIBYTE) for _ in range(20)]
    threads = [threading.Thread(target=blocks.pop) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert kept.kept_bytes == 20 * (2 * MEBIBYTE + PAGESIZE)


def test_blocks_may_be_freed_during_an_allocation(monkeypatch):
    """The garbage collector may run within ``take``."""
    kept, blocks = Memory(), []
    fresh = memory._fresh

    def forget_first(size: int) -> object:
        blocks.clear()
        gc.collect()
        return fresh(size)

    blocks += [kept.take(2 * MEBIBYTE) for _ in range(3)]
    monkeypatch.setattr(memory, "_fresh", forget_first)
    lent = kept.take(4 * MEBIBYTE)
    assert (len(lent), kept.kept_bytes) == (4 * MEBIBYTE, 3 * (2 * MEBIBYTE + PAGESIZE))


@settings(max_examples=30)
@given(st.one_of(st.integers(1, 2**16), st.integers(LEAST_BYTES, 2**24)), st.integers(0, LINE_BYTES - 1))
def test_allocations_waste_little(size, begin):
    assert size <= memory._rounded(size) <= max(size * 1.13, size + 2**12)
    lent = Memory().take(size, begin)
    assert (len(lent), lent.flags.writeable, place_of(lent) % LINE_BYTES) == (size, True, begin)
    lent[:] = 1
