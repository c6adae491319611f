"""Lesson 04: which tasks run again, in graphs on paper and in a graph on the cluster, and an answer that survives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...examination import Examination, describe, describe_error
from ...recovery import TaskHistory, addresses, crash, restored
from .. import exercise

Graph = dict[str, list[str]]


@contextmanager
def as_it_was(client: Any) -> Iterator[int]:
    """At the end, there are as many workers as before."""
    before = len(addresses(client))
    try:
        yield before
    finally:
        restored(client, before)


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
        "What they need is computed again where nobody holds it any more": 0,
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
    if all(finding.passed for finding in exam.findings):
        _expect_the_same_on_the_cluster(exam, rerun)


def _situation(rng: np.random.Generator) -> tuple[Graph, dict[str, set[str]], set[str]]:
    """A graph that has been computed: keys with futures are in memory, some of them twice; B holds at least one."""
    graph = random_graph(rng, int(rng.integers(4, 12)))
    wanted = {key for key in graph if rng.random() < 0.45} or {next(iter(graph))}
    holders = [{"A"}, {"B"}, {"B"}, {"C"}, {"A", "B"}, {"B", "C"}]
    memory = {key: set(holders[int(rng.integers(len(holders)))]) for key in sorted(wanted)}
    memory[str(rng.choice(sorted(wanted)))] = {"B"}
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
    import dask
    from distributed import wait

    client = exam.client
    graph = random_graph(exam.rng, 9)
    mark = f"-{exam.rng.integers(1 << 40):010x}"
    delayed: dict[str, Any] = {}
    for key in sorted(graph):  # a task needs only tasks with smaller numbers
        delayed[key] = dask.delayed(add, pure=False)(*(delayed[one] for one in graph[key]), dask_key_name=key + mark)
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
                wait(list(futures.values()), timeout=60)
            seen = {key.removesuffix(mark) for key in history.computed if key.endswith(mark)}
        finally:
            if moving:
                client.amm.start()
        del futures
    exam.expect("It predicts what the scheduler does when a worker really crashes", predicted == seen,
                f"predicted {len(predicted)} tasks, the scheduler's log shows {len(seen)}"
                + ("" if predicted == seen else f"; they differ in {', '.join(sorted(predicted ^ seen))}"))  # fmt: skip


def block(seed: int, rows: int) -> Any:
    """Whole numbers, so that sums are exact in any order."""
    time.sleep(0.15)
    return np.random.default_rng(seed).integers(-1000, 1000, rows)


def total(*blocks: Any) -> int:
    """The sum of all blocks."""
    return int(sum(int(one.sum()) for one in blocks))


@exercise("04.2", "survive")
def check_survive(exam: Examination, survive: Any) -> None:
    """A worker crashes while the graph is computed; the answer is the same, and the worker is replaced."""
    import dask

    client = exam.client
    seeds = [int(seed) for seed in exam.rng.integers(0, 1 << 30, 10)]
    rows = int(exam.rng.integers(500, 1500))
    true = total(*(np.random.default_rng(seed).integers(-1000, 1000, rows) for seed in seeds))
    parts = [dask.delayed(block, pure=False)(seed, rows) for seed in seeds]
    lazy = dask.delayed(total, pure=False)(*parts)
    with as_it_was(client) as workers_before:
        old = set(addresses(client))
        with TaskHistory(client) as history:
            result = exam.call(survive, client, lazy)
        now = addresses(client)
    exam.expect(
        "A worker crashes", bool(old - set(now)), f"{len(old - set(now))} of {len(old)} workers are not there any more"
    )
    right = isinstance(result, (int, np.integer)) and int(result) == true
    exam.expect(
        "The result is exactly that of an undisturbed run", right, "equal" if right else f"{result!r} is another"
    )
    times = {key: history.computed[key] for key in (part.key for part in parts)}
    all_seen = all(times.values())
    exam.expect(
        "The whole graph is computed on the cluster",
        all_seen,
        f"{sum(map(bool, times.values()))} of {len(parts)} blocks seen",
    )
    twice = sum(number > 1 for number in times.values())
    exam.expect("The crash comes in the middle: something that was done is computed again", twice > 0,
                f"{twice} of {len(parts)} blocks were computed more than once")  # fmt: skip
    once = sum(number == 1 for number in times.values())
    exam.expect("What the other workers hold is not computed again", once > 0 or workers_before == 1,
                f"{once} of {len(parts)} blocks were computed only once")  # fmt: skip
    exam.expect("It returns when there are as many workers as before", len(now) == workers_before,
                f"{len(now)} workers, {workers_before} before")  # fmt: skip


def call_freely(exam: Examination, function: Any, *args: Any) -> tuple[Any, Exception | None]:
    """Call a function whose errors are part of the question."""
    exam.require("It is a function", callable(function), f"it is {describe(function)}")
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def explain(error: Exception | None, function: Any) -> str:
    """Say what was raised, in one line."""
    return "no error" if error is None else describe_error(error, function)
