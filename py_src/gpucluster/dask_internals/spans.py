"""Which cell of a notebook a task is for: Dask's spans, and what they lack.

A span belongs to a group of tasks, such as all tasks of a persisted array, or all that call one function. If two cells
submit the same function and the results of the first are still held, the scheduler counts the tasks of both in the
first span. An annotation of ours on each graph, with the facts about the cell, makes the difference. It is removed
from the tasks at once, so that workers do not receive it.

Imports nothing of this package: it is sent to schedulers elsewhere.
"""

import importlib
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

FACTS = "gpucluster_cell"


def cell_span(name: str, id: str, facts: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Annotate the graphs that are sent within: they are of this span, and the spans of users become its children.

    Relies on ``distributed.span`` being the annotation ``span`` with ``name`` and ``ids``, tuples of equal length from
    the outermost span to the innermost one (2023.8), and on ``Client._graph_to_futures`` adding
    ``dask.get_annotations()`` to the graph (2021.1). Annotating collections at creation is not an alternative:
    data frames warn that they ignore it (dask-expr).

    `name`, `id`: of the span, for Dask's own tools; the id is unique. `facts`: about the cell; see ``facts_of``.
    """
    dask: Any = importlib.import_module("dask")  # It does not say that these two are public.
    inner = dask.get_annotations().get("span")
    names, ids = (inner["name"], inner["ids"]) if inner else ((), ())
    return dask.annotate(span={"name": (name, *names), "ids": (id, *ids)}, **{FACTS: dict(facts)})


def facts_of(annotations: Mapping[str, Any]) -> dict[Any, Any]:
    """Return the facts by the keys of a graph's new tasks, from what ``SchedulerPlugin.update_graph`` gets (2023.5)."""
    return annotations.get(FACTS) or {}


def drop_facts(task: Any) -> None:
    """Remove the facts from a task: ``TaskState.annotations``, a dictionary or ``None`` (2022.11)."""
    if task.annotations:
        task.annotations.pop(FACTS, None)


def outermost_span(task: Any) -> str | None:
    """Return the id of the outermost span of a task's group: ``TaskState.annotations["span"]["ids"]`` (2023.8).

    Tasks that tasks submit have only this: a worker passes the span on, and no other annotation.
    """
    span = (task.annotations or {}).get("span")
    return span["ids"][0] if span else None


def n_tasks(group: Any) -> int:
    """Return how many tasks a group has had: ``TaskGroup.states``, which counts forgotten ones, too (2021.1)."""
    return sum(group.states.values())


def group_figures(group: Any) -> tuple[Mapping[str, int], Mapping[str, float], int, float, float]:
    """Return the tasks of a group by state, seconds by action, bytes of all results, first start and last end.

    Relies on ``TaskGroup`` with ``states``, ``all_durations``, ``nbytes_total``, ``start`` and ``stop`` (2021.8); the
    last two are 0 before the first task has ended.
    """
    return group.states, group.all_durations, group.nbytes_total, group.start, group.stop


def states_of(scheduler: Any, keys: Iterable[Any]) -> dict[str, int]:
    """Return these tasks by state: ``TaskState.state`` (2021.1). One that the scheduler does not know is forgotten."""
    found: dict[str, int] = {}
    tasks = scheduler.tasks
    for key in keys:
        task = tasks.get(key)
        state = "forgotten" if task is None else task.state
        found[state] = found.get(state, 0) + 1
    return found


def is_forgotten(scheduler: Any, group: Any) -> bool:
    """Return whether no task of a group is left: ``Scheduler.task_groups``, by name (2021.1)."""
    return scheduler.task_groups.get(group.name) is not group
