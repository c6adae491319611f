"""The checks of lesson 09."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import numpy as np

from ....protocol.errors import GPUClusterError
from ....protocol.plain_text import counted
from ...answers import Floats, in_blocks, random_cuts
from ...checks import exercise
from ...examination import Examination, Halt, describe
from ...probes.transfers import Traffic
from ...simulations.ranks import MPIRun, NoMPI, mpiexec, run_under_mpi, simulate

# The learner's function as several ranks, simulated so that each message is seen, and under MPI.


RUNS = "It runs on several ranks without an error"


def on_ranks(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> MPIRun:
    """Run ``function(comm, *arguments)`` as simulated ranks; what goes wrong is a finding."""
    try:
        return simulate(function, *arguments, n_ranks=n_ranks)
    except GPUClusterError as error:
        exam.require(RUNS, False, f"{n_ranks} ranks: {str(error)[:300]}")
        raise


def under_mpi(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> list[Any] | None:
    """Do the same under ``mpiexec``; ``None`` where there is no MPI, or where the answer is wrong already."""
    starter = mpiexec()
    if starter is None or not exam.passed:
        return None

    def called(comm: Any, _rows: Any, *given: Any) -> Any:
        return function(comm, *given)

    try:
        run = run_under_mpi(starter, called, list(range(n_ranks)), *arguments, n_ranks=n_ranks, plain=True)
    except NoMPI:
        return None
    except GPUClusterError as error:
        exam.require("It runs under mpiexec without an error", False, str(error)[:300])
        raise
    return run.results


def levels(n: int) -> int:
    """Return how many rounds a tree needs that makes one of n things: log2, rounded up."""
    return max(0, (n - 1).bit_length())


# One count in two worlds, and communicators of some of the ranks.


FEW_BYTES = 64


@exercise("09.1", "late_on_ranks", "late_with_dask")
def check_late(exam: Examination, late_on_ranks: Any, late_with_dask: Any) -> None:
    """The same whole number from ranks and from Dask, and no delay travels."""
    for n_ranks in (1, 3, 4):
        parts = _delays_of_ranks(exam.rng, n_ranks)
        true = int(sum((part > 0).sum() for part in parts))
        run = on_ranks(exam, lambda comm, all_: late_on_ranks(comm, all_[comm.rank]), parts, n_ranks=n_ranks)
        _expect_counts(
            exam, "ranks", run.results, true, f"{n_ranks} ranks with {', '.join(str(len(p)) for p in parts)}"
        )
        sent = max((bytes_ for *_, bytes_ in run.collectives), default=0)
        sent = max([sent, *(message.bytes for message in run.messages if n_ranks > 1)])
        exam.expect("Ranks send only counts, not delays", sent <= FEW_BYTES,
                    f"the largest message has {sent:,} bytes")  # fmt: skip
    parts = _delays_of_ranks(exam.rng, 2)
    found = under_mpi(exam, lambda comm, all_: late_on_ranks(comm, all_[comm.rank]), parts, n_ranks=2)
    if found is not None:
        _expect_counts(exam, "ranks", found, int(sum((part > 0).sum() for part in parts)), "2 ranks under mpiexec")
    for blocks in (1, 5):
        _expect_dask(exam, late_with_dask, blocks)


def _expect_dask(exam: Examination, late_with_dask: Any, blocks: int) -> None:
    from distributed import wait

    y = _delays(exam.rng, 20_000)
    sizes = [cut.stop - cut.start for cut in random_cuts(exam.rng, len(y), blocks)]
    with exam.client.as_current():
        lazy = in_blocks(y, sizes).persist()
        wait(lazy)
        with Traffic(exam.client) as traffic:
            found = exam.call(late_with_dask, lazy)
    _expect_counts(exam, "Dask", [found], int((y > 0).sum()), f"{blocks} blocks of a Dask array")
    exam.expect("With Dask, the delays stay on the workers", traffic.bytes < y.nbytes / 10,
                f"{traffic.bytes:,} bytes came to the notebook, the delays have {y.nbytes:,}")  # fmt: skip


def _expect_counts(exam: Examination, what: str, found: list[Any], true: int, case: str) -> None:
    whole = all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in found)
    kinds = sorted({describe(one) for one in found})
    expected = {"ranks": "late_on_ranks returns a whole number on every rank",
                "Dask": "late_with_dask returns a whole number, computed"}[what]  # fmt: skip
    exam.require(expected, whole, f"{', '.join(kinds)}; {case}")
    right = all(int(one) == true for one in found)
    exam.expect(f"Counts the flights that arrived late, with {what}", right,
                f"{sorted({int(one) for one in found})}, expected {true}; {case}")  # fmt: skip


def _delays(rng: np.random.Generator, n: int) -> Floats:
    """Whole minutes, many of them 0 or negative, and some that are missing."""
    found = rng.integers(-40, 60, n).astype(float)
    found[rng.random(n) < 0.1] = 0.0
    found[rng.random(n) < 0.05] = np.nan
    return found


def _delays_of_ranks(rng: np.random.Generator, n_ranks: int) -> list[Floats]:
    """Ranks with different numbers of flights; where there are four, one has none."""
    sizes = rng.permutation(rng.integers(3000, 9000, n_ranks) * (np.arange(n_ranks) != 3))
    return [_delays(rng, int(size)) for size in sizes]


@exercise("09.2", "grid_sums")
def check_grid(exam: Examination, grid_sums: Any) -> None:
    """Ranks in rows and columns: each gets the sums of its own row and column, from separate communicators."""
    for columns, rows in ((2, 2), (3, 2), (2, 4), (1, 3), (4, 1)):
        _expect_grid(exam, grid_sums, rows, columns)
        if not exam.passed:
            return
    values = exam.rng.integers(1, 1000, (2, 2))
    found = under_mpi(
        exam,
        lambda comm, columns, all_: grid_sums(comm, columns, all_[comm.rank]),
        2,
        values.ravel().tolist(),
        n_ranks=4,
    )
    if found is not None:
        _expect_sums(exam, found, values, "4 ranks under mpiexec")


def _expect_grid(exam: Examination, grid_sums: Any, rows: int, columns: int) -> None:
    values = exam.rng.integers(1, 1000, (rows, columns))
    run = on_ranks(
        exam,
        lambda comm, width, all_: grid_sums(comm, width, all_[comm.rank]),
        columns,
        values.ravel().tolist(),
        n_ranks=rows * columns,
    )
    case = f"{rows * columns} ranks in {columns} columns"
    _expect_sums(exam, run.results, values, case)
    splits = sum(name == "Split" for name, *_ in run.collectives)
    exam.expect("Split divides the ranks once into rows and once into columns",
                splits == 2 * values.size, f"{splits / values.size:g} calls of Split per rank; {case}")  # fmt: skip
    whole = [name for name, group, *_ in run.collectives if not group and name not in {"Split", "barrier"}]
    exam.expect(
        "Nothing is summed over all ranks: each sum uses its own communicator",
        not whole and not run.messages,
        f"{', '.join(sorted(set(whole))) or 'nothing'} over all ranks; {case}",
    )


def _expect_sums(exam: Examination, found: list[Any], values: Any, case: str) -> None:
    columns = values.shape[1]
    pairs = all(isinstance(one, (tuple, list, np.ndarray)) and len(one) == 2 for one in found)
    exam.require("Each rank returns two things: row_sum and column_sum", pairs, f"{describe(found[0])}; {case}")
    sums = {0: values.sum(axis=1), 1: values.sum(axis=0)}
    for place, name in enumerate(("row_sum", "column_sum")):
        wrong = [rank for rank, one in enumerate(found) if one[place] != sums[place][divmod(rank, columns)[place]]]
        first = wrong[0] if wrong else 0
        exam.expect(f"{name} is the sum over the ranks of this {name.removesuffix('_sum')}", not wrong,
                    f"rank {first}: {found[first][place]}, expected {sums[place][divmod(first, columns)[place]]}; "
                    f"{case}")  # fmt: skip


# Arrays that travel as they lie in memory: whole, and in pieces.


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
    """Any array arrives unchanged, and its numbers are not pickled."""
    arrays = _arrays(exam.rng)
    for name, array in arrays.items():
        run = _one_way(exam, send_array, receive_array, array)
        expect_arrived(exam, run.results[1], array, name)
        expect_unchanged(exam, run.results[0], array, name)
        pickled = sum(message.bytes for message in run.messages if message.kind == "pickle")
        buffers = sum(message.bytes for message in run.messages if message.kind == "buffer")
        exam.expect("The numbers are sent as a buffer; only a short description is pickled",
                    pickled <= HEADER_BYTES and not run.collectives,
                    f"{pickled:,} bytes pickled, {buffers:,} as buffers: {name}")  # fmt: skip
        exam.expect("No byte of the array is sent twice, or in a larger type", buffers <= array.nbytes + HEADER_BYTES,
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
    exam.expect("Shape and type arrive unchanged", found.shape == true.shape and found.dtype == true.dtype,
                f"{found.dtype} {found.shape} from {true.dtype} {true.shape}: {name}")  # fmt: skip
    same = np.array_equal(found, true)
    exam.expect("All numbers are received, in the right order", same, f"{'equal' if same else 'not equal'}: {name}")


def expect_unchanged(exam: Examination, sent: Any, true: Any, name: str) -> None:
    """The sender still has what it had."""
    exam.expect("The sent array is unchanged", np.array_equal(sent, true), name)


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
        exam.expect("The numbers are sent as buffers; at most one short description is pickled",
                    len(pickles) <= 1 and sum(pickles) <= HEADER_BYTES and not run.collectives,
                    f"{counted(len(pickles), 'pickled message')}, {sum(pickles):,} bytes: {name}")  # fmt: skip
        needed = max(1, -(-array.size // (most // array.itemsize)))
        exam.expect("There are as few pieces as possible", len(sizes) - headers <= needed,
                    f"{counted(len(sizes), 'piece')}, needed {needed}: {name}")  # fmt: skip
        if not exam.passed:
            return
    array = rng.normal(size=101)  # with an odd rest
    found = under_mpi(exam, _one_way_of(send_in_pieces, receive_in_pieces, 96), array, n_ranks=2)
    if found is not None:
        expect_arrived(exam, found[1], array, "under mpiexec, 101 numbers, at most 96 bytes per message")


# The line that starts an MPI program: who gets which of its words.


_NAMES = ("MV2_USE_CUDA", "MV2_USE_GDRCOPY", "MV2_GPUDIRECT_GDRCOPY_LIB", "MV2_CPU_BINDING_LEVEL",
          "MV2_CPU_BINDING_POLICY", "OMP_NUM_THREADS", "UCX_TLS")  # fmt: skip
_PROGRAMS = (["python", "numpy_sum.py"], ["python", "-u", "merge.py", "--type", "gpu", "--runs", "20"],
             ["python", "train.py", "lr=0.1", "-np", "3"],
             ["python", "merge.py", "--chunk-size", "1_000_000_00"])  # fmt: skip
KEYS = ("ranks", "workers", "environment", "program")


@exercise("09.10", "read_launch")
def check_launch(exam: Examination, read_launch: Any) -> None:
    """Every word of the line is in the right place: the launcher's, the environment's, the program's."""
    for number in range(40):
        line, true = _random_line(exam.rng, number)
        found = exam.call(read_launch, line)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = [key for key in KEYS if key not in found]
        exam.require("It has the keys ranks, workers, environment and program", not missing, f"missing: {missing}")
        for key, words in (
            ("ranks", "ranks is the number after -np of the launcher, as an int"),
            ("workers", "workers are the ranks except the scheduler's and the client's"),
            ("environment", "environment has each NAME=VALUE before the program, and no other"),
            ("program", "program is the list of words from python onwards"),
        ):
            mine = list(found[key]) if isinstance(found[key], tuple) else found[key]
            right = mine == true[key] and (key not in {"ranks", "workers"} or isinstance(mine, (int, np.integer)))
            exam.expect(words, right, f"{mine!r}, expected {true[key]!r}, in: {line}")
        if not exam.passed:
            return


def _random_line(rng: np.random.Generator, number: int) -> tuple[str, dict[str, Any]]:
    ranks = int(rng.integers(3, 200))
    environment: dict[str, str] = {}
    before = []
    if rng.random() < 0.7:
        environment["LD_PRELOAD"] = f"/opt/mpi{int(rng.integers(1, 9))}/lib64/libmpi.so"
        before.append(f"LD_PRELOAD={environment['LD_PRELOAD']}")
    options = [["-export-all"], ["-np", str(ranks)], ["-hostfile", str(rng.choice(["hosts", "my_hosts.txt"]))]]
    if number % 4 == 1:
        options[-1] = [f"gpu{place}" for place in range(11, 11 + int(rng.integers(1, 5)))]  # names of nodes
    if number % 3 == 0:
        options = options[1:]
    launcher = [word for place in rng.permutation(len(options)) for word in options[place]]
    settings = []
    for name in rng.permutation(_NAMES)[: int(rng.integers(0, 5))]:
        value = str(rng.choice(["1", "SCATTER", "/opt/gdrcopy2.0/lib64/libgdrapi.so", "a=b", "two words"]))
        environment[str(name)] = value
        settings.append(shlex.quote(f"{name}={value}") if rng.random() < 0.5 else f"{name}={shlex.quote(value)}")
    program = [str(word) for word in _PROGRAMS[int(rng.integers(len(_PROGRAMS)))]]
    start = "/opt/mvapich2/bin/mpirun_rsh" if rng.random() < 0.5 else "mpirun_rsh"
    line = " ".join([*before, start, *launcher, *settings, *program])
    return line, {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": program}


# Everything to one place, and a tree instead: on ranks by messages, on a cluster by futures.


ORDER = "The result is in the order of the ranks"
PAYLOAD = 25_000


def chained(one: Any, other: Any) -> Any:
    """Merge two values that remember their order, and how many merges lie on top of each other."""
    return one[0] + other[0], max(one[1], other[1]) + 1


@exercise("09.3", "tree_reduce")
def check_tree_of_ranks(exam: Examination, tree_reduce: Any) -> None:
    """Rank 0 gets all values in their order, in few rounds; each value travels once."""
    for n_ranks in (1, 2, 3, 4, 5, 7, 8, 13, 16):
        _expect_tree(exam, tree_reduce, n_ranks)
        if not exam.passed:
            return
    letters = _letters(exam.rng, 3)
    found = under_mpi(
        exam, lambda comm, all_, merge: tree_reduce(comm, all_[comm.rank], merge), letters, chained, n_ranks=3
    )
    if found is not None:
        _expect_root(exam, found, letters, "3 ranks under mpiexec")


def _letters(rng: np.random.Generator, n: int) -> list[tuple[str, int]]:
    return [("".join(chr(97 + int(code)) for code in rng.integers(0, 26, 3)), 0) for _ in range(n)]


def _expect_tree(exam: Examination, tree_reduce: Any, n_ranks: int) -> None:
    letters = _letters(exam.rng, n_ranks)
    run = on_ranks(exam, lambda comm, all_: tree_reduce(comm, all_[comm.rank], chained), letters, n_ranks=n_ranks)
    case = f"{n_ranks} ranks"
    exam.expect("It uses only send and recv", not run.collectives,
                f"{', '.join(sorted({name for name, *_ in run.collectives})) or 'nothing else'}; {case}")  # fmt: skip
    depth = _expect_root(exam, run.results, letters, case)
    to_root = sum(message.target == 0 for message in run.messages)
    most = levels(n_ranks)
    exam.expect("Rank 0 receives at most log2(n) messages, rounded up", to_root <= most,
                f"{counted(to_root, 'message')}, allowed {most}; {case}")  # fmt: skip
    exam.expect("There are n - 1 messages in total: each rank except 0 sends once", len(run.messages) == n_ranks - 1,
                f"{counted(len(run.messages), 'message')}; {case}")  # fmt: skip
    exam.expect("At most log2(n) merges, rounded up, run in sequence", depth <= most,
                f"{counted(depth, 'merge')} one after the other, allowed {most}; {case}")  # fmt: skip


def _expect_root(exam: Examination, found: list[Any], letters: list[tuple[str, int]], case: str) -> int:
    pair = isinstance(found[0], (tuple, list)) and len(found[0]) == 2
    exam.require("Rank 0 returns the merged value", pair, f"{describe(found[0])}; {case}")
    others = [rank for rank, one in enumerate(found) if rank and one is not None]
    exam.expect("The other ranks return None", not others, f"ranks with a result: {others or 'none'}; {case}")
    text, depth = found[0]
    true = "".join(letter for letter, _ in letters)
    same = sorted(str(text)) == sorted(true)
    exam.expect("Each rank's value occurs in the result once", same, f"{text!r} from {true!r}; {case}")
    exam.expect(ORDER, text == true, f"{text!r}, expected {true!r}; {case}")
    return int(depth)


@exercise("09.4", "tree_of_futures")
def check_tree_of_futures(exam: Examination, tree_of_futures: Any) -> None:
    """One future of the merged value, made on the workers, in few rounds."""
    from distributed import Future, wait

    client = exam.client
    for n in (1, 2, 3, 6, 8, 11):
        letters = _letters(exam.rng, n)
        workers = list(client.scheduler_info()["workers"])
        values = [
            client.submit(_heavy, letter, number, workers=workers[number % len(workers)], pure=False)
            for number, (letter, _) in enumerate(letters)
        ]
        wait(values)
        with Traffic(client) as traffic:
            future = exam.call(tree_of_futures, client, list(values), _merge_heavy)
            exam.require("It returns one future", isinstance(future, Future), f"{describe(future)}; {n} futures")
            wait(future)
        if future.status == "error":
            exam.require("The merges run without an error", False, f"{future.exception()!r}; {n} futures")
            raise Halt
        found = future.result()
        right = isinstance(found, tuple) and len(found) == 3
        exam.require("The future's value is the merged one", right, f"{describe(found)}; {n} futures")
        true = "".join(letter for letter, _ in letters)
        exam.expect("Each value occurs in the result once, in order", found[0] == true and found[2][0] == sum(range(n)),
                    f"{found[0]!r}, expected {true!r}; {n} futures")  # fmt: skip
        exam.expect("At most log2(n) merges, rounded up, run in sequence", found[1] <= levels(n),
                    f"{found[1]} one after the other, allowed {levels(n)}; {n} futures")  # fmt: skip
        exam.expect("The values are merged on the workers: none is sent to the notebook", traffic.bytes < 8 * PAYLOAD,
                    f"{traffic.bytes:,} bytes came; one value has {8 * PAYLOAD:,}")  # fmt: skip
        if not exam.passed:
            return


def _heavy(letter: str, number: int) -> Any:
    return letter, 0, np.full(PAYLOAD, float(number))


def _merge_heavy(one: Any, other: Any) -> Any:
    return one[0] + other[0], max(one[1], other[1]) + 1, one[2] + other[2]
