"""The checks of lesson 02."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from ...answers import several, wrong_choices
from ...checks import exercise
from ...examination import Examination, NotYet, describe, describe_error
from ...probes.placement import memory_on_workers
from ...probes.transfers import Traffic
from .probes import Counted, counted

# Task graphs: an order that works, how many there are, and which collection makes them.


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


def renamed(rng: np.random.Generator, graph: Graph) -> Graph:
    """Return a graph of the same shape in which each task has the name of any other."""
    names = dict(zip(graph, map(str, rng.permutation(list(graph))), strict=True))
    return {names[task]: [names[other] for other in needs] for task, needs in graph.items()}


def copied(graph: Graph) -> Graph:
    """Return a copy, so that the learner's code may change what it gets."""
    return {task: list(needs) for task, needs in graph.items()}


@exercise("02.1", "order")
def check_order(exam: Examination, order: Any) -> None:
    """The order is valid for 200 random graphs, and a circle is refused with a ValueError.

    Each second graph has the tasks of the one before, with other needs: what is remembered of that one is wrong.
    """
    graph: Graph = {}
    for number in range(200):
        graph = renamed(exam.rng, graph) if number % 2 else random_graph(exam.rng, 1 + number // 2 % 10)
        found = exam.call(order, copied(graph))
        exam.require("It returns a list", isinstance(found, (list, tuple)), describe(found))
        complete = sorted(map(str, found)) == sorted(graph)
        what = f"{len(found)} for a graph of {len(graph)} tasks"
        exam.require("Each task is in the list exactly once", complete, what)
        place = {task: index for index, task in enumerate(found)}
        early = [task for task, needs in graph.items() for need in needs if place[need] > place[task]]
        exam.expect(
            "Each task comes after everything it needs, in 200 random graphs",
            not early,
            f"graph {number + 1}: {len(early)} times a task came before something that it needs" if early else "all do",
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
    return exam.expect("A graph with a cycle raises a ValueError", refused, observed)


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
    exam.expect("Each job has the right collection", not wrong, f"{len(_KEY) - len(wrong)} of 5{advice}")


# How often something runs: five snippets, one order instead of three, and the right node to keep.


_PATIENCE_SECONDS = 3.0
_COLUMNS = ["carrier", "dep_delay", "distance"]
_LATE = 120


def _two_orders(load: Counted) -> None:
    from dask.delayed import delayed

    x = delayed(load)(1)
    total, rows = x.sum(), x.size
    total.compute()
    rows.compute()


def _one_order(load: Counted) -> None:
    import dask
    from dask.delayed import delayed

    x = delayed(load)(1)
    dask.compute(x.sum(), x.size)  # type: ignore[attr-defined, no-untyped-call]


def _no_order(load: Counted) -> None:
    from dask.delayed import delayed

    x = delayed(load)(1)
    repr((x.sum(), x.size))


def _two_nodes(load: Counted) -> None:
    import dask
    from dask.delayed import delayed

    dask.compute(delayed(load)(1).sum(), delayed(load)(1).sum())  # type: ignore[attr-defined, no-untyped-call]


def _kept(load: Counted) -> None:
    from dask.delayed import delayed

    x = delayed(load)(1).persist()
    x.sum().compute()
    x.size.compute()


SNIPPETS: dict[str, Callable[[Counted], None]] = {
    "a": _two_orders, "b": _one_order, "c": _no_order, "d": _two_nodes, "e": _kept,
}  # fmt: skip


def count_loads(snippet: Callable[[Counted], None]) -> int:
    """Run a snippet here and now, and return how often it loaded."""
    import dask

    load = counted(np.arange)
    with dask.config.set(scheduler="synchronous"):
        snippet(load)
    return load.calls()


@exercise("02.2", "loads")
def check_loads(exam: Examination, loads: Any) -> None:
    """Each number is what running the snippet counts."""
    exam.require("loads is a dictionary", isinstance(loads, dict), describe(loads))
    missing = [name for name in SNIPPETS if loads.get(name) in (None, ...)]
    exam.require("There is a number for each snippet", not missing, f"none for {', '.join(missing)}")
    for name, snippet in SNIPPETS.items():
        guess = loads[name]
        is_number = isinstance(guess, (int, float, np.integer)) and not isinstance(guess, bool)
        exam.require("Each is a number", is_number, f"{name}: {describe(guess)}")
        ran = count_loads(snippet)
        more = "more" if ran > guess else "less"
        observed = f"{guess}" if guess == ran else f"you say {guess}; it loads {more} often"
        exam.expect(f"Snippet {name} loads as many times as you say", guess == ran, observed)


def random_values(seed: int, n_values: int) -> Any:
    """Return the values of one piece, all below zero: the largest is not that of a search that begins at zero."""
    rng = np.random.default_rng(seed)
    return rng.normal(rng.uniform(-200, -100), 10, n_values)


@exercise("02.3", "three_answers")
def check_three_answers(exam: Examination, three_answers: Any) -> None:
    """The three numbers are right, each piece is loaded once, and none comes to the notebook."""
    from dask.delayed import delayed

    n_pieces = int(exam.rng.integers(3, 7))
    facts = [(int(exam.rng.integers(2**31)), int(exam.rng.integers(20_000, 60_000))) for _ in range(n_pieces)]
    everything = np.concatenate([random_values(*fact) for fact in facts])
    true = len(everything), everything.mean(), everything.max()
    load = counted(random_values)
    with exam.client.as_current():
        pieces = [delayed(load)(*fact) for fact in facts]
        with Traffic(exam.client) as traffic:
            found = exam.call(three_answers, pieces)
    found = several(exam, found, "the number of values", "the mean", "the largest")
    lazy = [value for value in found if hasattr(value, "compute")]
    exam.require("They are computed, not only planned", not lazy, describe(lazy[0]) if lazy else "")
    names = "The number of values", "The mean of all values", "The largest value"
    for name, value, right in zip(names, found, true, strict=True):
        number = isinstance(value, (int, float, np.number))
        close = number and math.isclose(float(value), float(right), rel_tol=1e-9)
        exam.expect(f"{name} is right", close, f"{value:,.6g}, expected {right:,.6g}" if number else describe(value))
    calls = load.calls(exam.client)
    exam.expect("Each piece is loaded exactly once", calls == n_pieces, f"{calls} loads for {n_pieces} pieces")
    exam.expect(
        "No piece is sent to the notebook", traffic.bytes < everything.nbytes / 10,
        f"{traffic.bytes:,} bytes left the workers, the pieces have {everything.nbytes:,}",
    )  # fmt: skip


def random_flights(seed: int, n_rows: int) -> Any:
    """Return a table of invented flights with many unneeded columns."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "carrier": pd.Series(np.array(["AA", "B6", "UA", "9E"])[rng.integers(0, 4, n_rows)], dtype="str"),
            "dep_delay": np.where(rng.random(n_rows) < 0.03, np.nan, rng.exponential(60, n_rows) - 10).round(),
            "distance": rng.integers(80, 5000, n_rows),
        }
    )
    return table.assign(**{f"unused_{place}": rng.random(n_rows) for place in range(8)})


@exercise("02.4", "prepare")
def check_prepare(exam: Examination, prepare: Any) -> None:
    """The kept table is right, a question loads nothing again, and the workers keep no more than needed."""
    import dask.dataframe as dd
    from distributed import wait

    seeds = [int(seed) for seed in exam.rng.integers(2**31, size=4)]
    n_rows = int(exam.rng.integers(8_000, 12_000))
    whole = [random_flights(seed, n_rows) for seed in seeds]
    true = [piece.loc[piece["dep_delay"] > _LATE, _COLUMNS] for piece in whole]
    needed = sum(int(piece.memory_usage(deep=True).sum()) for piece in true)
    before = memory_on_workers(exam.client)
    load = counted(random_flights)
    with exam.client.as_current():
        table = dd.from_map(load, seeds, n_rows=n_rows, meta=whole[0].iloc[:0])
        with Traffic(exam.client) as traffic:
            kept = exam.call(prepare, table)
            is_dask = isinstance(kept, dd.DataFrame)
            exam.require("It returns a Dask table", is_dask, describe(kept))
            wait(kept)
        loads, bytes_kept = load.calls(exam.client), memory_on_workers(exam.client) - before
        exam.expect("Only names are sent to the notebook", traffic.bytes < needed / 4 + 5_000,
                    f"{traffic.bytes:,} bytes left the workers")  # fmt: skip
        _expect_kept(exam, kept, true)
        again = load.calls(exam.client) - loads
        exam.expect("Queries on the result load nothing again", again == 0, f"{again} loads for two questions")
        exam.expect("Each piece was loaded exactly once", loads == len(seeds), f"{loads} loads for {len(seeds)} pieces")
        exam.expect(
            "The workers keep only what is needed",
            0.5 * needed < bytes_kept < 1.5 * needed + 20_000,
            f"{bytes_kept:,} bytes are kept, the result has {needed:,}",
        )
    del kept, table
    left = _wait_for_release(exam, before)
    exam.expect("Deleting the result frees its memory", left <= 0, f"{max(0, left):,} bytes are left")


def _expect_kept(exam: Examination, kept: Any, true: list[Any]) -> None:
    columns = sorted(kept.columns)
    exam.require("It has the three columns", columns == sorted(_COLUMNS), f"columns {columns}")
    rows, distance = len(kept), float(kept["distance"].sum().compute())
    right = sum(len(piece) for piece in true)
    exam.expect(
        "It has all flights more than 120 minutes late, and no others",
        rows == right,
        f"{rows:,} flights" if rows == right else f"{rows:,} flights instead of {right:,}",
    )
    same = distance == sum(float(piece["distance"].sum()) for piece in true)
    exam.expect("Their distances are unchanged", same, "the sum is the same" if same else "the sum differs")


def _wait_for_release(exam: Examination, before: int) -> int:
    """Return how many bytes are left when there was time enough to free them."""
    import gc

    gc.collect()
    until = time.monotonic() + _PATIENCE_SECONDS
    while (left := memory_on_workers(exam.client) - before) > 0 and time.monotonic() < until:
        time.sleep(0.05)
    return left
