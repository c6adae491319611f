"""Lesson 02, task graphs: an order that works, how many there are, and which collection makes them."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from ...examination import Examination, NotYet, describe, describe_error
from .. import exercise
from ..answers import wrong_choices

Graph = dict[str, list[str]]


def random_graph(rng: np.random.Generator, n_tasks: int, *, circle: bool = False) -> Graph:
    """Return {task: needs} with the tasks in no particular order; with a circle only if asked for."""
    names = ["".join(rng.choice(list("abcdefghijkm"), size=5)) + str(number) for number in range(n_tasks)]
    density = rng.uniform(0, 0.6)
    needs: Graph = {
        name: [other for other in names[:place] if rng.random() < density] for place, name in enumerate(names)
    }
    if circle:
        length = int(rng.integers(1, n_tasks + 1))  # 1: a task that needs itself
        for one, other in zip(names[:length], [*names[1:length], names[0]], strict=True):
            needs[one] = sorted({*needs[one], other})
    shuffled = [names[place] for place in rng.permutation(n_tasks)]
    return {name: [str(other) for other in rng.permutation(needs[name])] for name in shuffled}


def copied(graph: Graph) -> Graph:
    """Return a copy, so that the learner's code may change what it gets."""
    return {task: list(needs) for task, needs in graph.items()}


@exercise("02.1", "order")
def check_order(exam: Examination, order: Any) -> None:
    """The order is valid for 200 random graphs, and a circle is refused with a ValueError."""
    for number in range(200):
        graph = random_graph(exam.rng, 1 + number % 10)
        found = exam.call(order, copied(graph))
        exam.require("It returns a list", isinstance(found, (list, tuple)), describe(found))
        complete = sorted(map(str, found)) == sorted(graph)
        what = f"{len(found)} for a graph of {len(graph)} tasks"
        exam.require("Each task is in the list exactly once", complete, what)
        place = {task: index for index, task in enumerate(found)}
        early = [task for task, needs in graph.items() for need in needs if place[need] > place[task]]
        exam.expect(
            "Each task comes after everything that it needs, in 200 random graphs",
            not early,
            f"graph {number + 1}: {len(early)} times a task came before something that it needs",
        )
        if early:
            return
    for number in range(20):
        if not _refuses(exam, order, random_graph(exam.rng, 1 + number % 6, circle=True)):
            return


def _refuses(exam: Examination, order: Any, graph: Graph) -> bool:
    try:
        found = order(copied(graph))
    except ValueError:
        observed, refused = "it does", True
    except NotImplementedError as error:
        raise NotYet from error
    except Exception as error:
        observed, refused = describe_error(error, order), False
    else:
        observed, refused = f"it returned {describe(found)} for {len(graph)} tasks with a circle", False
    return exam.expect("A graph with a circle raises a ValueError", refused, observed)


@exercise("02.5", "count_orders")
def check_count_orders(exam: Examination, count_orders: Any) -> None:
    """The number is that of trying all orders, for random graphs with and without circles."""
    graphs: list[tuple[str, Graph]] = [
        ("tasks that need nothing", {"a": [], "b": [], "c": []}),
        ("a chain", {"c": ["b"], "a": [], "b": ["a"]}),
        ("a task that needs itself", {"a": [], "c": ["a", "c"], "b": ["a"]}),
        ("many orders", {**{name: [] for name in "abcdef"}, "g": ["a"]}),
    ]
    graphs += [("random graphs", random_graph(exam.rng, int(exam.rng.integers(3, 7)))) for _ in range(12)]
    graphs += [("graphs with a circle", random_graph(exam.rng, 4, circle=True)) for _ in range(4)]
    for name, graph in graphs:
        true = _by_trying(graph)
        found = exam.call(count_orders, copied(graph))
        is_number = isinstance(found, (int, float, np.integer)) and not isinstance(found, bool)
        exam.require("It returns a number", is_number, describe(found))
        more = "right" if found == true else "too many" if found > true else "too few"
        exam.expect(f"The number of orders is right: {name}", found == true, f"{found} for {len(graph)} tasks, {more}")


def _by_trying(graph: Graph) -> int:
    total = 0
    for attempt in permutations(graph):
        place = {task: index for index, task in enumerate(attempt)}
        total += all(place[need] < place[task] for task, needs in graph.items() for need in needs)
    return total


_NAMES = ("dataframe", "array", "bag", "delayed", "futures")
_KEY = {
    "a": ("DataFrame", "what does pandas call it?"),
    "b": ("Bag", "the lines have no common shape yet"),
    "c": ("Array", "it is one block of numbers"),
    "d": ("Delayed", "these are functions, and the plan is known before the start"),
    "e": ("Futures", "a plan cannot be made before the first results are there"),
}


@exercise("02.6", "collections")
def check_collections(exam: Examination, collections: Any) -> None:
    """All five choices agree with the key."""
    wrong = wrong_choices(exam, collections, _KEY, _NAMES, each="collection", name="collections")
    advice = f". Think again of {wrong[0]}: {_KEY[wrong[0]][1]}" if wrong else ""
    exam.expect("Each job has the collection that fits it", not wrong, f"{len(_KEY) - len(wrong)} of 5{advice}")
