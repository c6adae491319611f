"""Lesson 04: which tasks run again, in graphs on paper and in a graph on the cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.recovery import TaskHistory, crash, recovered
from .. import exercise
from .restoring import as_it_was

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
    if exam.passed:
        _expect_the_same_on_the_cluster(exam, rerun)


def _situation(rng: np.random.Generator) -> tuple[Graph, dict[str, set[str]], set[str]]:
    """A graph that has been computed: keys with futures are in memory, some of them twice; B holds at least one.

    A result that nobody wants any more may still be on the worker that is lost: alone it is no reason to compute.
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
    exam.expect("It predicts what the scheduler does when a worker really crashes", predicted == seen,
                f"predicted {len(predicted)} tasks, the scheduler's log shows {len(seen)}"
                + ("" if predicted == seen else f"; they differ in {', '.join(sorted(predicted ^ seen))}"))  # fmt: skip
