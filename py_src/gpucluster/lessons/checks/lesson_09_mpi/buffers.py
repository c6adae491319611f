"""Lesson 09, arrays that travel as they lie in memory: whole, and in pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, describe
from ...simulations.ranks import MPIRun
from .. import exercise
from .ranks import on_ranks, under_mpi

HEADER_BYTES = 1_000


def _arrays(rng: np.random.Generator) -> dict[str, Any]:
    table = rng.normal(size=(7, 5))
    return {
        "a row of float64": rng.normal(size=1000),
        "a table of float32": rng.normal(size=(40, 30)).astype(np.float32),
        "whole numbers of 3 dimensions": rng.integers(-(2**60), 2**60, (3, 4, 5)),
        "a transposed table": table.T,
        "every second row": table[::2],
        "a reversed row": rng.integers(0, 255, 9).astype(np.uint8)[::-1],
        "no rows": np.empty((0, 4)),
        "one number without a dimension": np.array(rng.normal()),
        "truth values": rng.random(33) < 0.5,
        "one million bytes": rng.integers(0, 255, 1_000_000).astype(np.uint8),
    }


@exercise("09.7", "send_array", "receive_array")
def check_arrays(exam: Examination, send_array: Any, receive_array: Any) -> None:
    """Any array arrives as it was, and its numbers are not pickled."""
    arrays = _arrays(exam.rng)
    for name, array in arrays.items():
        run = _one_way(exam, send_array, receive_array, array)
        expect_arrived(exam, run.results[1], array, name)
        expect_unchanged(exam, run.results[0], array, name)
        pickled = sum(message.bytes for message in run.messages if message.kind == "pickle")
        buffers = sum(message.bytes for message in run.messages if message.kind == "buffer")
        exam.expect("The numbers travel as a buffer; only a short description is pickled",
                    pickled <= HEADER_BYTES and not run.collectives,
                    f"{pickled:,} bytes pickled, {buffers:,} as buffers: {name}")  # fmt: skip
        exam.expect("No byte of the array travels twice, or in a larger type", buffers <= array.nbytes + HEADER_BYTES,
                    f"{buffers:,} bytes as buffers for {array.nbytes:,}: {name}")  # fmt: skip
        if not exam.passed:
            return
    _expect_two_in_a_row(exam, send_array, receive_array)
    array = arrays["a transposed table"]
    found = under_mpi(exam, _one_way_of(send_array, receive_array), array, n_ranks=2)
    if found is not None:
        expect_arrived(exam, found[1], array, "under mpiexec, a transposed table")


def _expect_two_in_a_row(exam: Examination, send_array: Any, receive_array: Any) -> None:
    """Three ranks: rank 1 hears from both others, and asks for them in its own order."""
    first, second = exam.rng.normal(size=(2, 3)), exam.rng.integers(0, 9, 11)

    def program(comm: Any) -> Any:
        if comm.rank == 1:
            return receive_array(comm, 2), receive_array(comm, 0), receive_array(comm, 0)
        for array in (first, second)[: 2 if comm.rank == 0 else 1]:
            send_array(comm, array + comm.rank, 1)
        return None

    found = on_ranks(exam, program, n_ranks=3).results[1]
    for array, true in zip(found, (first + 2, first, second), strict=True):
        expect_arrived(exam, array, true, "from two ranks, one after the other")


def _one_way_of(send: Any, receive: Any, *rest: Any) -> Any:
    def program(comm: Any, array: Any) -> Any:
        if comm.rank == 0:
            send(comm, array, 1, *rest)
            return array
        return receive(comm, 0)

    return program


def _one_way(exam: Examination, send: Any, receive: Any, array: Any, *rest: Any) -> MPIRun:
    held = array  # a copy made for the rank would be contiguous
    return on_ranks(exam, lambda comm: _one_way_of(send, receive, *rest)(comm, _like(held)), n_ranks=2)


def _like(array: Any) -> Any:
    """Return a copy that lies in memory in the same way."""
    if array.flags.c_contiguous:
        return array.copy()
    if array.flags.f_contiguous:
        return array.copy(order="F")
    if array.ndim == 1:
        return array[::-1].copy()[::-1]
    return np.repeat(array, 2, axis=0)[::2]


def expect_arrived(exam: Examination, found: Any, true: Any, name: str) -> None:
    """The same numbers, in the same shape and type."""
    exam.require("receive_array returns an array", isinstance(found, np.ndarray), f"{describe(found)}: {name}")
    exam.expect("Shape and type arrive as they were sent", found.shape == true.shape and found.dtype == true.dtype,
                f"{found.dtype} {found.shape} from {true.dtype} {true.shape}: {name}")  # fmt: skip
    same = np.array_equal(found, true)
    exam.expect("All numbers arrive, each in its place", same, f"{'equal' if same else 'not equal'}: {name}")


def expect_unchanged(exam: Examination, sent: Any, true: Any, name: str) -> None:
    """The sender still has what it had."""
    exam.expect("The array that was sent stays as it was", np.array_equal(sent, true), name)


@exercise("09.8", "send_in_pieces", "receive_in_pieces")
def check_pieces(exam: Examination, send_in_pieces: Any, receive_in_pieces: Any) -> None:
    """No message is longer than allowed, none is lost, and there are no more than needed."""
    rng = exam.rng
    cases: list[tuple[Any, int]] = [
        (rng.normal(size=100), 80), (rng.normal(size=101), 80), (rng.normal(size=3), 800), (np.empty(0), 64),
        (rng.integers(0, 255, 1000).astype(np.uint8), 7), (rng.normal(size=50).astype(np.float32), 4),
        (rng.normal(size=25), 60), (rng.integers(0, 9, 40_000), 100_000), (rng.normal(size=10), 80),
        # Pieces of equal length may be longer than allowed where few numbers fit into one.
        (rng.normal(size=20), 27), (rng.normal(size=int(rng.integers(30, 200))), int(rng.integers(17, 60))),
    ]  # fmt: skip
    for array, most in cases:
        run = _one_way(exam, send_in_pieces, receive_in_pieces, array, most)
        name = f"{array.size} numbers of {array.itemsize} bytes, at most {most} bytes per message"
        expect_arrived(exam, run.results[1], array, name)
        expect_unchanged(exam, run.results[0], array, name)
        sizes = [message.bytes for message in run.messages if message.kind == "buffer"]
        pickles = [message.bytes for message in run.messages if message.kind == "pickle"]
        headers = 2 if sum(sizes) > array.nbytes else 0  # a short header may be a buffer as well
        exam.expect("No piece is longer than most", max(sizes, default=0) <= max(most, 16 if headers else 0),
                    f"the longest has {max(sizes, default=0):,} bytes: {name}")  # fmt: skip
        exam.expect("The numbers travel as buffers; at most one short description is pickled",
                    len(pickles) <= 1 and sum(pickles) <= HEADER_BYTES and not run.collectives,
                    f"{counted(len(pickles), 'pickled message')}, {sum(pickles):,} bytes: {name}")  # fmt: skip
        needed = max(1, -(-array.size // (most // array.itemsize)))
        exam.expect("There are no more pieces than needed", len(sizes) - headers <= needed,
                    f"{counted(len(sizes), 'piece')}, needed {needed}: {name}")  # fmt: skip
        if not exam.passed:
            return
    array = rng.normal(size=101)  # with an odd rest
    found = under_mpi(exam, _one_way_of(send_in_pieces, receive_in_pieces, 96), array, n_ranks=2)
    if found is not None:
        expect_arrived(exam, found[1], array, "under mpiexec, 101 numbers, at most 96 bytes per message")
