"""Arrays as MPI sees them: the memory of an array, in the order in which it lies there."""

from __future__ import annotations

from typing import Any

import numpy as np

from .local_messages import Envelope


def array_of(buffer: Any) -> Any:
    """Return the array of a buffer; ``[array, count]`` and ``[array, type]`` are those of mpi4py."""
    found = buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer
    if isinstance(found, (bytes, bytearray, memoryview)):
        return np.frombuffer(found, dtype=np.uint8)
    if not isinstance(found, (np.ndarray, np.generic)):
        raise TypeError("message: expecting buffer or list/tuple")
    return np.asarray(found)


def _counted(buffer: Any) -> Any:
    """Return the array as one row, in the order of its memory, cut to the count that came with it."""
    array = array_of(buffer)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise BufferError("dlpack: buffer is not contiguous")
    if array.dtype.hasobject:
        raise ValueError("message: cannot send an array of Python objects as a buffer")
    row = array.reshape(-1, order="A")
    counts = [part for part in buffer[1:] if isinstance(part, (int, np.integer))] if isinstance(buffer, list) else []
    if counts and counts[0] > row.size:
        raise ValueError(f"message: buffer too small for requested count ({counts[0]} of {row.size})")
    return row[: counts[0]] if counts else row


def memory_of(buffer: Any) -> bytes:
    """Return what is sent of a buffer."""
    data: bytes = _counted(buffer).tobytes()
    return data


def fill(buffer: Any, letter: Envelope) -> None:
    """Put what has come into a buffer, as far as it goes."""
    array = _counted(buffer)
    if letter.kind != "buffer":
        raise TypeError("Recv gets a pickled object that was sent with send; use recv")
    if len(letter.data) > array.nbytes:
        raise RuntimeError(f"Message truncated: {len(letter.data)} bytes came, the buffer has {array.nbytes}")
    target = array.view(np.uint8) if array.size else array
    if not np.shares_memory(target, array_of(buffer)) and array.size:
        raise ValueError("the buffer cannot be written to in place")
    if letter.data:
        target[: len(letter.data)] = np.frombuffer(letter.data, dtype=np.uint8)
