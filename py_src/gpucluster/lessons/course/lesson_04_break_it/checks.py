"""The checks of lesson 04."""

from __future__ import annotations

import asyncio
import builtins
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, get_ident
from typing import Any

import numpy as np

from ....dask_internals.scheduler_state import allowed_failures, set_allowed_failures
from ...answers import several
from ...checks import exercise
from ...examination import Examination, NeedsCluster, describe, describe_error
from ...simulations.recovery import PATIENCE_SECONDS, TaskHistory, addresses, crash, expect_crashes, recovered, restored

# Breaking the lesson's cluster for a check, and restoring it.


@contextmanager
def as_it_was(client: Any) -> Iterator[int]:
    """At the end, there are as many workers as before."""
    before = len(addresses(client))
    expect_crashes(client)
    try:
        yield before
    finally:
        try:
            restored(client, before)
        except TimeoutError:
            raise NeedsCluster from None


@contextmanager
def late_workers(client: Any, seconds: float) -> Iterator[None]:
    """Let each nanny wait before it starts another worker."""
    client.run(_set_pause, seconds=seconds, nanny=True)
    try:
        yield
    finally:
        client.run(_set_pause, seconds=0.0, nanny=True)


def _set_pause(dask_worker: Any, seconds: float) -> None:
    nanny = dask_worker
    vars(nanny).pop("instantiate", None)
    usual = nanny.instantiate

    async def instantiate() -> Any:
        await asyncio.sleep(seconds)
        return await usual()

    if seconds:
        nanny.instantiate = instantiate


def call_freely(exam: Examination, function: Any, *args: Any) -> tuple[Any, Exception | None]:
    """Call a function whose errors are part of the question."""
    exam.require("It is a function", callable(function), f"it is {describe(function)}")
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def explain(error: BaseException | None, function: Any) -> str:
    """Say what was raised, in one line."""
    return "no error" if error is None else describe_error(error, function)


# Answers that survive a crash, of a graph and of scattered data that is lost with its worker.


class Loader:
    """Loads the same data whenever it is asked, and counts."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.data = rng.integers(0, 1000, int(rng.integers(100, 200)))
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return self.data.copy()


def add_up(data: Any) -> int:
    """A task on the data; defined here, so that workers import it."""
    return int(data.sum())


def add_up_on_a_worker(data: Any) -> int:
    """The same; in the notebook it fails."""
    from distributed import get_worker

    get_worker()
    return add_up(data)


def refuse(data: Any) -> int:
    """A task that does not like the data."""
    raise ValueError(f"{len(data)} rows are not enough")


def look_up(data: Any) -> int:
    """A task that fails in another way."""
    raise KeyError(f"no entry for {len(data)} rows")


def divide(data: Any) -> int:
    """And in a third one."""
    return int(data.sum()) // 0


@exercise("04.3", "with_reload", "why")
def check_reload(exam: Examination, with_reload: Any, why: Any) -> None:
    """Scattered data that is lost is loaded again; data that is there is not, and other errors are not hidden."""
    client = exam.client
    load = Loader(exam.rng)
    true = add_up(load.data)
    with as_it_was(client):
        held = client.scatter(load.data.copy(), workers=[addresses(client)[-1]], hash=False)
        result, future = _pair(exam, exam.call(with_reload, client, held, add_up, load))
        exam.expect("While the data exists, it is not loaded again", load.calls == 0, f"loaded {load.calls} times")
        exam.expect("The result is right while the data exists", result == true, _compared(result, true))
        for fails, kind in ((refuse, ValueError), (look_up, KeyError), (divide, ZeroDivisionError)):
            _, error = call_freely(exam, with_reload, client, future, fails, load)
            exam.expect(
                "Any error in the task itself is passed on",
                isinstance(error, kind),
                explain(error, with_reload),
            )
        exam.expect(
            "An error in the task itself does not cause a reload", load.calls == 0, f"loaded {load.calls} times"
        )
        if not exam.passed:
            return
        [holder, *_] = client.who_has(future)[future.key]
        load.calls = 0
        crash(client, holder)
        _until_told(future)
        again = exam.call(with_reload, client, future, add_up_on_a_worker, load)
        exam.expect(
            "After a crash of the worker that held it, the data is loaded once",
            load.calls == 1,
            f"loaded {load.calls} times",
        )
        result, future = _pair(exam, again)
        exam.expect("After the crash, the result is right", result == true, _compared(result, true))
        usable = future.status == "finished"
        exam.expect("The future returned after the crash can be used again", usable, f"its status is {future.status!r}")
        restored(client, len(addresses(client)))
    said = str(why).strip().lower()
    exam.expect("The reason is right", said == "c", f"you chose {said[:20]!r}")


def _until_told(future: Any) -> None:
    """Wait until the notebook knows of the loss: until then, what looks at the future's status sees none."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while future.status == "finished" and time.monotonic() < deadline:
        time.sleep(0.02)


def _pair(exam: Examination, found: Any) -> tuple[Any, Any]:
    result, future = several(exam, found, "the result", "the future of the data")
    exam.require("The second is a future", hasattr(future, "key"), describe(future))
    return result, future


def _compared(found: Any, true: Any) -> str:
    return "equal" if found == true else f"{found!r} instead of {true!r}"


def block(seed: int, rows: int, seconds: float, slow: str, slow_seconds: float) -> Any:
    """Whole numbers, so that sums are exact in any order; on the slow worker they take longer."""
    from distributed import get_worker

    time.sleep(slow_seconds if get_worker().address == slow else seconds)
    return np.random.default_rng(seed).integers(-1000, 1000, rows)


def total(*blocks: Any) -> int:
    """The sum of all blocks."""
    return int(sum(int(one.sum()) for one in blocks))


@exercise("04.2", "survive")
def check_survive(exam: Examination, survive: Any) -> None:
    """A worker crashes while the graph is computed; the answer is the same, and the worker is replaced.

    A crash after a fixed time comes too late in the first graph, or too early in the second. In the first one, the
    worker that comes first has nothing done for long; in the second, the one that comes last. In a third one, the new
    worker takes longer than all that is left to compute.
    """
    threads = sum(exam.client.nthreads().values())
    _expect_survival(exam, survive, blocks=max(10, 3 * threads), seconds=0.15, slow=0, slow_seconds=0.9)
    if exam.passed:
        _expect_survival(exam, survive, blocks=max(5, 3 * threads), seconds=1.0, slow=-1, slow_seconds=2.0)
    if exam.passed:
        with late_workers(exam.client, seconds=5.0):
            _expect_survival(exam, survive, blocks=4 * threads, seconds=0.3, slow=0, slow_seconds=0.3)


def _expect_survival(
    exam: Examination, survive: Any, *, blocks: int, seconds: float, slow: int, slow_seconds: float
) -> None:
    from dask.delayed import delayed

    client = exam.client
    seeds = [int(seed) for seed in exam.rng.integers(0, 1 << 30, blocks)]
    rows = int(exam.rng.integers(500, 1500))
    true = total(*(np.random.default_rng(seed).integers(-1000, 1000, rows) for seed in seeds))
    with as_it_was(client) as workers_before:
        old = addresses(client)
        slowest = old[slow] if len(old) > 1 else ""
        parts = [delayed(block, pure=False)(seed, rows, seconds, slowest, slow_seconds) for seed in seeds]
        lazy = delayed(total, pure=False)(*parts)
        with TaskHistory(client) as history:
            result = exam.call(survive, client, lazy)
        now = addresses(client)
        _until_released(client, {lazy.key, *(part.key for part in parts)})
    gone = len(set(old) - set(now))
    exam.expect("One worker crashes", gone == 1, f"{gone} of {len(old)} workers are gone")
    right = isinstance(result, (int, np.integer)) and int(result) == true
    exam.expect("The result equals that of an undisturbed run", right, "equal" if right else f"{result!r} is different")
    times = {key: history.computed[key] for key in (part.key for part in parts)}
    seen = sum(map(bool, times.values()))
    exam.expect("The whole graph is computed on the cluster", seen == blocks, f"{seen} of {blocks} blocks seen")
    twice = sum(number > 1 for number in times.values())
    exam.expect("The crash comes in the middle: something that the worker had computed is recomputed", twice > 0,
                f"{twice} of {blocks} blocks were computed more than once")  # fmt: skip
    once = sum(number == 1 for number in times.values())
    exam.expect("What the other workers hold is not recomputed", once > 0 or workers_before == 1,
                f"{once} of {blocks} blocks were computed only once")  # fmt: skip
    exam.expect("It returns once there are as many workers as before", len(now) == workers_before,
                f"{len(now)} workers, {workers_before} before")  # fmt: skip


def _until_released(client: Any, keys: set[str]) -> None:
    """Wait until workers hold no results that the notebook has dropped: the next run looks for what workers hold."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while keys & set().union(*client.has_what().values()) - client.futures.keys() and time.monotonic() < deadline:
        time.sleep(0.02)


# Which tasks run again, in graphs on paper and in a graph on the cluster.


Graph = dict[str, list[str]]


def random_graph(rng: np.random.Generator, count: int) -> Graph:
    """Return a graph whose keys come in no order."""
    names = [f"task-{number:02d}" for number in range(count)]
    graph: Graph = {}
    for number, name in enumerate(names):
        width = int(rng.integers(0, 4)) if number else 0
        needed = rng.choice(names[max(0, number - 5) : number], size=min(width, number, 5), replace=False)
        graph[name] = [str(one) for one in needed]
    return {names[index]: graph[names[index]] for index in rng.permutation(count)}


def needed_again(graph: Graph, memory: dict[str, set[str]], wanted: set[str], lost: str) -> set[str]:
    """Return the keys that must be computed once more."""
    again: set[str] = set()

    def compute(key: str) -> None:
        if key not in again and not memory.get(key, set()) - {lost}:
            again.add(key)
            for needed in graph[key]:
                compute(needed)

    for key in wanted:
        compute(key)
    return again


@exercise("04.1", "rerun")
def check_rerun(exam: Examination, rerun: Any) -> None:
    """The prediction is right for 200 random graphs, and for one that really loses a worker."""
    reasons = {
        "Results that only the lost worker had are computed again": 0,
        "What they need is computed again where no worker holds it any more": 0,
        "Nothing else is computed again": 0,
    }
    missing, inputs, needless = reasons
    for _ in range(200):
        graph, memory, wanted = _situation(exam.rng)
        found = _as_keys(exam, exam.call(rerun, _copy(graph), _copy(memory), set(wanted), "B"), graph)
        true = needed_again(graph, memory, wanted, "B")
        lost = {key for key in true if key in memory}
        reasons[missing] += not lost <= found
        reasons[inputs] += not true - lost <= found
        reasons[needless] += not found <= true
    for reason, wrong in reasons.items():
        exam.expect(reason, wrong == 0, f"not so in {wrong} of 200 graphs" if wrong else "in 200 random graphs")
    if exam.passed:
        _expect_the_same_on_the_cluster(exam, rerun)


def _situation(rng: np.random.Generator) -> tuple[Graph, dict[str, set[str]], set[str]]:
    """A graph that has been computed: keys with futures are in memory, some of them twice; B holds at least one.

    A result that is no longer needed may still be on the worker that is lost: alone it is no reason to compute.
    """
    graph = random_graph(rng, int(rng.integers(4, 12)))
    wanted = {key for key in graph if rng.random() < 0.45} or {next(iter(graph))}
    holders = [{"A"}, {"B"}, {"B"}, {"C"}, {"A", "B"}, {"B", "C"}]
    memory = {key: set(holders[int(rng.integers(len(holders)))]) for key in sorted(wanted)}
    memory[str(rng.choice(sorted(wanted)))] = {"B"}
    for key in sorted(graph.keys() - wanted):
        if rng.random() < 0.2:
            memory[key] = {"B"}
    return graph, memory, wanted


def _copy(mapping: Any) -> Any:
    return {key: type(value)(value) for key, value in mapping.items()}


def _as_keys(exam: Examination, found: Any, graph: Graph) -> set[str]:
    is_set = isinstance(found, (set, frozenset, list, tuple))
    exam.require("It returns a set of keys", is_set, describe(found))
    strange = [key for key in found if key not in graph]
    exam.require("All keys are tasks of the graph", not strange, f"{strange[:1]} is none")
    return set(found)


def add(*values: int, started: float = 1.0) -> float:
    """A task of the graph on the cluster; defined here, so that workers import it."""
    return sum(values) + started


def _expect_the_same_on_the_cluster(exam: Examination, rerun: Any) -> None:
    from dask.delayed import delayed as task
    from distributed import wait

    client = exam.client
    graph = random_graph(exam.rng, 9)
    mark = f"-{exam.rng.integers(1 << 40):010x}"
    delayed: dict[str, Any] = {}
    for key in sorted(graph):  # a task needs only tasks with smaller numbers
        delayed[key] = task(add, pure=False)(*(delayed[one] for one in graph[key]), dask_key_name=key + mark)
    needed = {one for values in graph.values() for one in values}
    wanted = sorted({key for key in graph if key not in needed} | {key for key in graph if exam.rng.random() < 0.4})
    moving = client.amm.running()  # the active memory manager, which may drop copies just now
    with as_it_was(client):
        try:
            client.amm.stop()
            futures = dict(
                zip(wanted, client.compute([delayed[key] for key in wanted], optimize_graph=False), strict=True)
            )
            wait(list(futures.values()))
            holds = {key: set(client.who_has(future)[future.key]) for key, future in futures.items()}
            lost = next(iter(holds[wanted[-1]]))
            predicted = _as_keys(exam, exam.call(rerun, _copy(graph), _copy(holds), set(wanted), lost), graph)
            with TaskHistory(client) as history:
                crash(client, lost)
                recovered(client, futures.values())
            seen = {key.removesuffix(mark) for key in history.computed if key.endswith(mark)}
        finally:
            if moving:
                client.amm.start()
        del futures
    exam.expect("It predicts what the scheduler does in a real crash", predicted == seen,
                f"predicted {len(predicted)} tasks, the scheduler's log shows {len(seen)}"
                + ("" if predicted == seen else f"; they differ in {', '.join(sorted(predicted ^ seen))}"))  # fmt: skip


# Tasks that raise errors, and tasks that end their worker.


def poison(file: str) -> None:
    """Leave a line, then end the worker."""
    with open(file, "a") as stream:
        stream.write(f"{os.getpid()}\n")
    os._exit(1)


def flaky(file: str, fails: int) -> str:
    """Fail a number of times with an ordinary error, then work."""
    with open(file, "a") as stream:
        stream.write("tried\n")
    if len(Path(file).read_text().splitlines()) <= fails:
        raise ConnectionError("the line was busy")
    return "done"


@exercise("04.5", "run_carefully")
def check_carefully(exam: Examination, run_carefully: Any) -> None:
    """Ordinary errors are retried, deaths of workers are counted separately, and settings are put back."""
    from distributed.scheduler import KilledWorker

    client = exam.client
    fails = int(exam.rng.integers(1, 4))
    deaths = int(exam.rng.integers(0, 2))
    with tempfile.TemporaryDirectory() as top, as_it_was(client):
        usual = client.run_on_scheduler(_allowed)
        before = usual + int(exam.rng.integers(1, 5))  # Dask's default does not show what was there before
        client.run_on_scheduler(_set_allowed, number=before)
        for name, retries in (("enough", fails), ("too few", fails - 1)):
            file = os.path.join(top, name)
            result, error = call_freely(exam, run_carefully, client, flaky, (file, fails), retries, deaths)
            tried = _lines(file)
            if name == "enough":
                done = result == "done" and error is None
                exam.expect("A task that fails a few times succeeds with that many retries", done,
                            f"result {result!r}, {explain(error, run_carefully)}, tried {tried} times")  # fmt: skip
            else:
                said = f"raised {error!r}" if error is not None else f"{result!r}"
                exam.expect("With one retry fewer, its own error is returned", isinstance(result, ConnectionError),
                            f"{said:.120}, tried {tried} times")  # fmt: skip
        file = os.path.join(top, "poison")
        Path(file).touch()
        result, error = call_freely(exam, run_carefully, client, poison, (file,), 5, deaths)
        found = error if error is not None else result
        observed = describe_error(found) if isinstance(found, Exception) else f"{found!r}"
        exam.expect(
            "A task that kills its workers ends with KilledWorker, which is returned",
            isinstance(result, KilledWorker),
            observed,
        )
        exam.expect(
            f"By then it has killed {deaths} + 1 workers, and no more",
            _lines(file) == deaths + 1,
            f"{_lines(file)} workers",
        )
        after = client.run_on_scheduler(_allowed)
        client.run_on_scheduler(_set_allowed, number=usual)
        exam.expect(
            "The scheduler's setting is restored, whatever happens", after == before, f"{after}, before it was {before}"
        )


def _lines(file: str) -> int:
    path = Path(file)
    return len(path.read_text().splitlines()) if path.exists() else 0


def _allowed(dask_scheduler: Any) -> int:
    return allowed_failures(dask_scheduler)


def _set_allowed(dask_scheduler: Any, number: int) -> None:
    set_allowed_failures(dask_scheduler, number)


# Tasks that write, and may run more than once.


_RESTART_SECONDS, _AGAIN_SECONDS = 30.0, 10.0
"""How long a task may wait for a worker after a crash, and then run."""
_LOCKED_SECONDS = 1.0
"""How long a run waits for another one of the same task, which may wait for its lock."""


def write_and_crash(record: Callable[..., Any], folder: str, number: int, line: str, marker: str) -> int:
    """Write a line; the first time, end the worker before it can say that it is done."""
    record(folder, number, line)
    if not os.path.exists(marker):
        Path(marker).touch()
        os._exit(1)
    return number


def write_and_crash_midway(
    record: Callable[..., Any], folder: str, number: int, line: str, marker: str, opening: int
) -> int:
    """Write a line; the first time, end the worker when it has opened a number of files, with nothing in the last."""
    if os.path.exists(marker):
        Path(_again(marker)).touch()
        record(folder, number, line)
    else:
        Path(marker).touch()
        with _at_opening(folder, opening, lambda: os._exit(1)):
            record(folder, number, line)
    return number


def _again(marker: str) -> str:
    """Return the file that is there once a task has started again."""
    return f"{marker}-again"


@contextmanager
def _at_opening(folder: str, opening: int, act: Callable[[], Any]) -> Iterator[None]:
    """Call a function when this thread has opened a number of files of a folder, with nothing in the last."""
    left, this_thread = opening, get_ident()

    def acting(usual: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, *args: Any, **options: Any) -> Any:
            nonlocal left
            found = usual(file, *args, **options)
            named = isinstance(file, (str, bytes, os.PathLike)) and get_ident() == this_thread
            if named and os.fsdecode(file).startswith(folder):
                left -= 1
                if not left:
                    act()
            return found

        return opened

    usual = builtins.open, io.open, os.open
    builtins.open, io.open, os.open = (acting(function) for function in usual)
    try:
        yield
    finally:
        builtins.open, io.open, os.open = usual


def _errors_when_two_runs_meet(record: Callable[..., Any], folder: str, number: int, line: str) -> list[BaseException]:
    """Run a task, and run it once more while the first run has just opened its first file, then its second one."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            record(folder, number, line)
        except Exception as error:
            errors.append(error)

    for opening in (1, 2):
        other = Thread(target=run, daemon=True)

        def meet(other: Thread = other) -> None:
            other.start()
            other.join(_LOCKED_SECONDS)

        with _at_opening(folder, opening, meet):
            run()
        if other.ident is not None:
            other.join(PATIENCE_SECONDS)
    return errors


@exercise("04.4", "record", "read_lines", repeats=False)
def check_record(exam: Examination, record: Any, read_lines: Any) -> None:
    """However often a task runs, its line is there once."""
    count = int(exam.rng.integers(12, 16))
    lines = [f"month {number}: {exam.rng.integers(1000)} minutes" for number in range(count)]
    lines[2] = f"Zürich, Málaga {lines[2]}"
    lines[1] = lines[0]  # two tasks may write the same words: comparing lines is not enough
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "once")
        os.mkdir(folder)
        # Backwards: "1:" stands in what task 11 has written, too.
        for number, line in reversed(list(enumerate(lines))):
            _write(exam, record, folder, number, line)
        _expect_lines(exam, "Each line is there once when each task runs once", read_lines, folder, lines)
        folder = os.path.join(top, "often")
        os.mkdir(folder)
        errors = _errors_when_two_runs_meet(record, folder, 0, lines[0])
        runs = [number for number in range(count) for _ in range(int(exam.rng.integers(2, 5)))]
        with _quick_turns(), ThreadPoolExecutor(8) as pool:
            jobs = [
                pool.submit(record, folder, runs[index], lines[runs[index]])
                for index in exam.rng.permutation(len(runs))
            ]
        errors += [error for job in jobs if (error := job.exception())]
        exam.expect(
            "Tasks may run again, even at the same time",
            not errors,
            explain(errors[0], record) if errors else "no error",
        )
        _expect_lines(exam, "Each line is there once however often its task runs", read_lines, folder, lines)
        if not exam.passed:
            return
        folder = os.path.join(top, "crash")
        os.mkdir(folder)
        marker = os.path.join(top, "crashed")
        with as_it_was(exam.client):
            numbers = list(range(count))
            futures = exam.client.map(
                write_and_crash, [record] * count, [folder] * count, numbers, lines, marker=marker, pure=False
            )
            done = exam.client.gather(futures, errors="skip")
            del futures  # Else they are written again when the next crash takes their results along.
        exam.require("The tasks finish", len(done) == count, f"{len(done)} of {count}")
        _expect_lines(exam, "After a real crash, there are exactly as many lines as tasks", read_lines, folder, lines)
        if exam.passed:
            _crash_midway(exam, record, read_lines, top)


def _crash_midway(exam: Examination, record: Any, read_lines: Any, top: str) -> None:
    folder = os.path.join(top, "midway")
    os.mkdir(folder)
    lines = [f"begun {number}" for number in range(2)]
    with as_it_was(exam.client):
        for number, line in enumerate(lines):
            marker, opening = os.path.join(top, f"begun-{number}"), number + 1
            future = exam.client.submit(
                write_and_crash_midway, record, folder, number, line, marker, opening, pure=False
            )
            again = _again(marker)
            _wait(lambda: future.done() or os.path.exists(again), _RESTART_SECONDS)  # noqa: B023
            _wait(future.done, _AGAIN_SECONDS)
            status = future.status
            if status == "pending":
                _end_task(exam.client, future)
            exam.require("A task that restarts after a crash finishes", status == "finished",
                         f"it is {status}")  # fmt: skip
    _expect_lines(
        exam, "After a crash between opening a file and writing, each line is there", read_lines, folder, lines
    )


def _wait(happened: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.05)


def _end_task(client: Any, future: Any) -> None:
    """End a task that waits for ever, with its worker: it would keep a thread of the learner's cluster busy."""
    busy = [worker for worker, keys in client.processing().items() if future.key in keys]
    future.cancel()
    for worker in busy:
        crash(client, worker)


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Let threads switch often enough for two writers to meet."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _write(exam: Examination, record: Any, folder: str, number: int, line: str) -> None:
    _, error = call_freely(exam, record, folder, number, line)
    exam.require("record runs without an error", error is None, explain(error, record))


def _expect_lines(exam: Examination, expected: str, read_lines: Any, folder: str, lines: list[str]) -> None:
    found = exam.call(read_lines, folder)
    listed = isinstance(found, (list, tuple)) and all(isinstance(line, str) for line in found)
    exam.require("read_lines returns a list of lines", listed, describe(found))
    same = sorted(line.rstrip("\n") for line in found) == sorted(lines)
    exam.expect(expected, same, f"{len(found)} lines, {len(set(found))} different, from {len(lines)} tasks")
