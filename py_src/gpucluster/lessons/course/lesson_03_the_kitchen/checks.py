"""The checks of lesson 03."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from distributed import SchedulerPlugin, futures_of

from ....dask_internals.scheduler_state import transition_facts
from ...checks import exercise
from ...examination import Examination, describe, describe_error
from ...probes.transfers import Traffic
from .simulations import Entry, Order, is_entry, makespan, most_at_once, noted, small_kitchen

if TYPE_CHECKING:
    from distributed import Client


# No cluster needed: the lower bound of the makespan.


def random_kitchen(rng: np.random.Generator) -> tuple[list[Order], int, int]:
    """Return orders, number of cooks and number of knives; orders come in any sequence."""
    count = int(rng.integers(3, 14))
    orders: list[Order] = []
    for number in range(count):
        earlier = [order.name for order in orders]
        needed = tuple(name for name in earlier if rng.random() < rng.choice([0.0, 0.15, 0.4]))
        seconds = round(float(rng.uniform(0.1, 3)), 3)
        orders.append(Order(f"dish {number}", seconds, bool(rng.random() < 0.5), needed))
    shuffled = [orders[index] for index in rng.permutation(count)]
    cooks = int(rng.integers(1, 6))
    return shuffled, cooks, int(rng.integers(1, cooks + 1))


def longest_chain(orders: Sequence[Order]) -> float:
    """Return the length of the critical path."""
    known = {order.name: order for order in orders}
    done: dict[str, float] = {}

    def end(name: str) -> float:
        if name not in done:
            order = known[name]
            done[name] = order.seconds + max((end(earlier) for earlier in order.after), default=0.0)
        return done[name]

    return max(end(name) for name in known)


def lower_bounds(orders: Sequence[Order], cooks: int, knives: int) -> dict[str, float]:
    """Return the three bounds by name."""
    return {
        "the longest chain of orders that wait for each other": longest_chain(orders),
        "all work, shared among the cooks": sum(order.seconds for order in orders) / cooks,
        "the work with a knife, shared among the knives": sum(o.seconds for o in orders if o.knife) / knives,
    }


@exercise("03.1", "bound")
def check_bound(exam: Examination, bound: Any) -> None:
    """The bound is the largest of chain, work per cook and knife work per knife, in 50 random kitchens."""
    binding: dict[str, list[bool]] = {}
    for orders, cooks, knives in _kitchens(exam.rng):
        found = exam.call(bound, list(orders), cooks, knives)
        try:
            number = float(found)
        except (TypeError, ValueError):
            exam.require("It returns one number of seconds", False, describe(found))
            return
        bounds = lower_bounds(orders, cooks, knives)
        reason = max(bounds, key=lambda name: bounds[name])
        binding.setdefault(reason, []).append(abs(number - bounds[reason]) < 1e-9 * max(1.0, bounds[reason]))
    for reason, right in binding.items():
        exam.expect(f"It is right if the limit is {reason}", all(right), f"{sum(right)} of {len(right)} kitchens")


def _kitchens(rng: np.random.Generator) -> list[tuple[list[Order], int, int]]:
    """Fifty kitchens, so that each of the three limits binds in ten of them at least."""
    chosen: dict[str, list[tuple[list[Order], int, int]]] = {}
    while sum(map(len, chosen.values())) < 50 or len(chosen) < 3 or min(map(len, chosen.values())) < 10:
        kitchen = random_kitchen(rng)
        bounds = lower_bounds(*kitchen)
        same = chosen.setdefault(max(bounds, key=lambda name: bounds[name]), [])
        if len(same) < 20:
            same.append(kitchen)
    return [kitchen for same in chosen.values() for kitchen in same]


# A small kitchen whose scheduler notes what runs: nothing of the lesson's own cluster changes.


@dataclass
class Watched:
    """A kitchen under observation.

    Attributes
    ----------
    seconds : dict
        How long each task kept a thread busy, by key.
    knives : dict
        How many knives each cook has, by name.
    """

    client: Client
    scheduler: Any
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def knives(self) -> dict[Any, float]:
        return {worker.name: worker.resources.get("knife", 0) for worker in self.scheduler.workers.values()}


class _Watcher(SchedulerPlugin):
    name = "gpucluster-lesson-watcher"

    def __init__(self, watched: Watched) -> None:
        self.watched = watched

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if start == "processing" and finish == "memory":
            steps = transition_facts(kwargs)["steps"]
            self.watched.seconds[key] = sum(stop - start for action, start, stop in steps if action == "compute")


@contextmanager
def watched_kitchen(cooks: int) -> Iterator[Watched]:
    """Open a kitchen of threads, and note each task that its scheduler sees done."""
    with small_kitchen(cooks) as (client, cluster):
        scheduler: Any = cluster.scheduler
        watched = Watched(client, scheduler)
        scheduler.add_plugin(_Watcher(watched))
        yield watched


# No cluster needed: bars of a Gantt chart from the records of a task stream.


Bars = list[tuple[int, float, float, str]]


def random_stream(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return records as ``get_task_stream`` gives them: in the order of ends, with transfers before the work."""
    zero = float(rng.uniform(1e9, 2e9))
    records = []
    for worker in range(int(rng.integers(2, 5))):
        # Workers that share a process, or were forked from one, may name their threads alike.
        for thread in range(int(rng.integers(1, 3))):
            now = zero + float(rng.uniform(0, 0.5))
            for number in range(int(rng.integers(1, 7))):
                parts = []
                if rng.random() < 0.5:
                    fetched = now + float(rng.uniform(0.01, 0.1))
                    parts.append({"action": "transfer", "start": now, "stop": fetched, "source": "tcp://10.0.0.9:1"})
                    now = fetched
                end = now + float(rng.uniform(0.05, 1.0))
                parts.append({"action": "compute", "start": now, "stop": end})
                records.append(
                    {
                        "key": f"dish {worker}.{thread}.{number}-{rng.integers(1 << 30):08x}",
                        "worker": f"tcp://10.0.0.{worker}:4000",
                        "thread": 140_000 + thread,
                        "startstops": tuple(parts),
                        "status": "OK",
                        "nbytes": 28,
                    }
                )
                now = end + float(rng.choice([0.0, rng.uniform(0, 0.5)]))
    return sorted(records, key=lambda record: record["startstops"][-1]["stop"])


@exercise("03.6", "bars")
def check_bars(exam: Examination, bars: Any) -> None:
    """One bar per task, at the right time, in a row per thread."""
    for _ in range(20):
        records = random_stream(exam.rng)
        made = _as_bars(exam, exam.call(bars, [dict(record) for record in records]))
        exam.require("There is one bar per task", len(made) == len(records), f"{len(made)} bars, {len(records)} tasks")
        _expect_times(exam, made, records)
        _expect_rows(exam, made, records)
        if not exam.passed:
            return


def _as_bars(exam: Examination, found: Any) -> Bars:
    listed = isinstance(found, (list, tuple)) and all(isinstance(bar, (list, tuple)) and len(bar) == 4 for bar in found)
    exam.require("It returns a list of bars (row, start, seconds, name)", listed, describe(found))
    try:
        return [(int(row), float(start), float(seconds), str(name)) for row, start, seconds, name in found]
    except (TypeError, ValueError):
        exam.require("row, start and seconds are numbers", False, f"the first bar is {found[0]!r}")
        raise AssertionError from None


def _expect_times(exam: Examination, made: Bars, records: list[dict[str, Any]]) -> None:
    work = {record["key"]: record["startstops"][-1] for record in records}
    zero = min(part["start"] for part in work.values())
    first = min(bar[1] for bar in made)
    exam.expect("The first bar starts at 0", abs(first) < 1e-6, f"at {first:.6g}")
    names = sorted(bar[3] for bar in made)
    exam.expect("The name of a bar is the key of its task", names == sorted(work), f"for example {names[0]!r}")
    wrong = [
        bar
        for bar in made
        if bar[3] in work
        and (
            abs(bar[1] - (work[bar[3]]["start"] - zero)) > 1e-5
            or abs(bar[2] - (work[bar[3]]["stop"] - work[bar[3]]["start"])) > 1e-5
        )
    ]
    exam.expect("A bar starts and ends with the compute part of its task, without the transfers", not wrong,
                f"{len(wrong)} of {len(made)} bars do not" if wrong else "all do")  # fmt: skip


def _expect_rows(exam: Examination, made: Bars, records: list[dict[str, Any]]) -> None:
    place = {record["key"]: (record["worker"], record["thread"]) for record in records}
    rows = {row for row, *_ in made}
    exam.expect("Rows are numbered 0, 1, 2, … without a gap", rows == set(range(len(rows))), f"rows {sorted(rows)}")
    pairs = {(row, place.get(name)) for row, _, _, name in made}
    threads = len(set(place.values()))
    exam.expect("Each thread of each worker has its own row", len(pairs) == len(rows) == threads,
                f"{len(rows)} rows for {threads} threads")  # fmt: skip
    overlaps = 0
    for row in rows:
        spans = sorted((start, start + seconds) for one, start, seconds, _ in made if one == row)
        overlaps += sum(later[0] < earlier[1] - 1e-6 for earlier, later in pairwise(spans))
    exam.expect("No two bars of a row overlap", overlaps == 0, f"{overlaps} do")


# Partitions of equal size, and few large tasks instead of many tiny ones.


def skewed_table(rng: np.random.Generator, rows: int, sizes: list[int]) -> Any:
    """Return a lazy table whose partitions have these sizes; its rows are in no order, its index says nothing."""
    import dask.dataframe as dd
    import pandas as pd

    numbers = rng.permutation(rows)
    table = pd.DataFrame({"row": numbers, "value": rng.normal(size=rows), "text": [f"r{number}" for number in numbers]})
    edges = np.cumsum([0, *sizes])
    parts = [table.iloc[start:end].reset_index(drop=True) for start, end in pairwise(edges)]
    return dd.from_map(lambda part: part, parts)


def skewed_sizes(rng: np.random.Generator, rows: int, count: int) -> list[int]:
    """Cut a number of rows so that one part has about two thirds of them, wherever it stands."""
    small = rng.uniform(0.5, 1.5, count - 1)
    sizes = [int(size) for size in rows / 3 * small / small.sum()]
    sizes.insert(int(rng.integers(0, count)), 0)
    sizes[sizes.index(0)] = rows - sum(sizes)
    return sizes


@exercise("03.4", "balance")
def check_balance(exam: Examination, balance: Any) -> None:
    """All partitions have about the same number of rows, and the rows are those that there were."""
    client = exam.client
    with client.as_current():
        # Limits that Dask only estimates may be good enough for one table, hardly ever for all of them.
        for count, wanted in ((5, 5), (3, 4), (5, 8), (5, 8), (5, 8)):
            rows = int(exam.rng.integers(9_000, 12_000))
            table = skewed_table(exam.rng, rows, skewed_sizes(exam.rng, rows, count))
            with Traffic(client) as traffic:
                result = exam.call(balance, table, wanted)
            lazy = hasattr(result, "to_delayed") and hasattr(result, "map_partitions")
            exam.require("It returns a lazy Dask table", lazy, describe(result))
            kept = len(futures_of(result))
            exam.require("The table is lazy: nothing of it is computed yet", not kept, f"{kept} partitions are")
            _expect_balanced(exam, client, result, rows, wanted)
            weight = 30 * rows
            exam.expect("No rows pass through the notebook", traffic.bytes < 0.5 * weight,
                        f"{traffic.bytes:,} bytes came to the notebook; the table has about {weight:,}")  # fmt: skip
            if not exam.passed:
                return


def _expect_balanced(exam: Examination, client: Any, result: Any, rows: int, wanted: int) -> None:
    try:
        found = client.gather(client.compute([part["row"] for part in result.to_delayed()]))
    except Exception as error:
        exam.require("The result can be computed", False, describe_error(error))
        return
    sizes = [len(part) for part in found]
    exam.expect("There are as many partitions as requested", len(sizes) == wanted, f"{len(sizes)} instead of {wanted}")
    mean = sum(sizes) / max(1, len(sizes))
    exam.expect("No partition has more than 1.3 times the mean number of rows", max(sizes) <= 1.3 * mean,
                f"{max(sizes) / max(mean, 1e-9):.2f} times: rows {sizes}")  # fmt: skip
    numbers = np.sort(np.concatenate([np.asarray(part) for part in found]))
    distinct = len(np.unique(numbers))
    exam.expect("No row is lost", distinct == rows, f"{distinct} different rows of {rows}")
    exam.expect("No row occurs twice", len(numbers) == distinct, f"{len(numbers) - distinct} too many")


@exercise("03.5", "batched")
def check_batched(exam: Examination, batched: Any) -> None:
    """The same sum from at most 50 tasks, computed by the workers, all of which have something to do."""
    factor = int(exam.rng.integers(2, 9))

    def tiny(number: int) -> int:
        from distributed import get_worker

        worker: Any = get_worker()  # raises an error where no worker is
        vars(worker).setdefault("gpucluster_batches", set()).add(worker.get_current_task())
        return int(number) * factor + 1

    for count in (int(exam.rng.integers(2_600, 3_200)), int(exam.rng.integers(51, 99)), 3):
        numbers = [int(number) for number in exam.rng.integers(-1_000, 1_000, count)]
        true = sum(number * factor + 1 for number in numbers)
        with watched_kitchen(2) as kitchen, kitchen.client.as_current():
            result = exam.call(batched, kitchen.client, tiny, list(numbers))
            if hasattr(result, "compute"):
                result = result.compute(scheduler=kitchen.client)
            elif hasattr(result, "key"):
                result = result.result(timeout=20)
            tasks = len(kitchen.seconds)
            batches = len(set().union(*kitchen.client.run(_batches_of).values()))
        number = getattr(result, "item", lambda result=result: result)()
        exam.expect("It is the sum over all numbers, for any count of them", number == true,
                    f"{number!r} instead of {true} for {count} numbers" if number != true else "equal")  # fmt: skip
        exam.expect("At most 50 tasks reach the scheduler", tasks <= 50, f"{tasks} tasks for {count} numbers")
        exam.expect("The cooks do the work, not the notebook", tasks > 0, f"{tasks} tasks for {count} numbers")
        if count > 50:
            exam.expect("There is at least one task per cook", batches >= 2,
                        f"{batches} of the tasks call task, for {count} numbers and 2 cooks")  # fmt: skip
        if not exam.passed:
            return


def _batches_of(dask_worker: Any) -> set[Any]:
    found: set[Any] = getattr(dask_worker, "gpucluster_batches", set())
    return found


# Knives that are shared by waiting, knives that the scheduler knows about, and the idle share.


LONGEST_WAIT = 20.0
"""Seconds after which a run that does not end is given up."""
MORE_EVENINGS = 2
"""The machine may have been busy with something else for a while; the best evening counts."""


def random_log(rng: np.random.Generator) -> tuple[list[Entry], int, float]:
    """Return a log in no order, the number of cooks and the idle share; one cook may have done nothing."""
    cooks = int(rng.integers(2, 6))
    zero = float(rng.uniform(1e6, 2e6))
    entries = []
    for cook in range(cooks - int(rng.random() < 0.4)):
        now = zero + float(rng.uniform(0, 1))
        for number in range(int(rng.integers(1, 6))):
            began = now + float(rng.choice([0.0, rng.uniform(0.1, 2)]))
            ended = began + float(rng.uniform(0.1, 2))
            entries.append(Entry(f"dish {cook}.{number}", cook, now, began, ended))
            now = ended + float(rng.uniform(0, 0.5))
    work = sum(entry.ended - entry.began for entry in entries)
    share = 1 - work / (cooks * makespan(entries))
    return [entries[index] for index in rng.permutation(len(entries))], cooks, share


@exercise("03.2", "with_semaphore", "idle_share")
def check_starvation(exam: Examination, with_semaphore: Any, idle_share: Any) -> None:
    """The blocking kitchen never uses too many knives; the idle share counts hands that do not work."""
    knives = int(exam.rng.integers(1, 3))
    chopping = [Order(f"leek {number}", 0.12, knife=True) for number in range(3 * knives)]
    orders = [*chopping, *(Order(f"egg {number}", 0.12) for number in range(3))]
    with watched_kitchen(3) as kitchen:
        entries, free_at_end = _cook_with_semaphore(exam, kitchen, with_semaphore, orders, knives)
    names = sorted(entry.name for entry in entries)
    exam.expect(
        "Each order is done once", names == sorted(order.name for order in orders), f"{len(names)} of {len(orders)}"
    )
    most = most_at_once([entry for entry in entries if entry.name.startswith("leek")])
    exam.expect("No more knives are in use than exist", most <= knives, f"{most} at once, of {knives}")
    exam.expect("All knives are used at some point", most == knives, f"{most} at once, of {knives}")
    exam.expect("Every knife is returned at the end", free_at_end, "all are" if free_at_end else "some are still taken")
    waits = {
        True: max(entry.began - entry.taken for entry in entries if entry.name.startswith("leek")),
        False: max(entry.began - entry.taken for entry in entries if entry.name.startswith("egg")),
    }
    exam.expect("Orders that need no knife do not wait for one", waits[False] < 0.5 * max(waits[True], 0.1),
                f"longest wait {waits[False]:.2f} s without, {waits[True]:.2f} s with a knife")  # fmt: skip
    _expect_shares(exam, idle_share)


def _cook_with_semaphore(
    exam: Examination, kitchen: Watched, with_semaphore: Any, orders: list[Order], knives: int
) -> tuple[list[Entry], bool]:
    from distributed import Semaphore, wait

    with kitchen.client.as_current():
        drawer = Semaphore(max_leases=knives, name="knives")
        futures = kitchen.client.map(noted, orders, pure=False, task=with_semaphore, rest=(drawer,))
        entries = _finished(exam, kitchen, futures, with_semaphore)
        free = drawer.get_value() == 0
        if free:
            burnt = Order("burnt", -1.0, knife=True)  # a time that time.sleep refuses
            wait(kitchen.client.submit(noted, burnt, task=with_semaphore, rest=(drawer,), pure=False), LONGEST_WAIT)
            taken = drawer.get_value()
            exam.expect("The knife is returned even if hands_on raises an error", taken == 0, f"{taken} still taken")
        drawer.close()
    return entries, free


def _expect_shares(exam: Examination, idle_share: Any) -> None:
    for _ in range(20):
        log, cooks, share = random_log(exam.rng)
        found = exam.call(idle_share, log, cooks)
        right = isinstance(found, (int, float)) and abs(float(found) - share) < 1e-6
        observed = "all are" if right else f"{found!r} instead of {share:.6f}: {len(log)} orders, {cooks} cooks"
        exam.expect("The idle share is right in 20 random logs, even when a cook has nothing to do", right, observed)


def _finished(exam: Examination, kitchen: Watched, futures: Any, function: Any) -> list[Entry]:
    """Return the entries of all futures, or note why there are none."""
    from distributed import wait

    listed = isinstance(futures, (list, tuple))
    exam.require("It returns one future or one entry per order", listed, describe(futures))
    pending = [future for future in futures if hasattr(future, "key")]
    try:
        wait(pending, timeout=LONGEST_WAIT)
    except TimeoutError:
        states = sorted({task.state for task in kitchen.scheduler.tasks.values()})
        where = " (state no-worker: no cook has what they need)" if "no-worker" in states else ""
        exam.require("The evening ends", False, f"orders still wait after {LONGEST_WAIT:.0f} s{where}")
    try:
        entries = [future.result() if hasattr(future, "key") else future for future in futures]
    except Exception as error:
        exam.require("It runs without an error", False, describe_error(error, function))
    right = all(map(is_entry, entries))
    exam.require("Each order returns an Entry, as hands_on does", right, describe(entries[0]) if entries else "nothing")
    return entries


@exercise("03.3", "hand_out", "serve")
def check_resources(exam: Examination, hand_out: Any, serve: Any) -> None:
    """The scheduler knows who has a knife: no cook waits, and the evening ends near the bound."""
    for cooks, knives, mixed in ((3, 2, False), (int(exam.rng.integers(3, 5)), 1, True)):
        orders = _evening(exam.rng, cooks, knives, mixed)
        with watched_kitchen(cooks) as kitchen, kitchen.client.as_current():
            _expect_knives(exam, kitchen, hand_out, cooks, knives)
            run = _Run(exam, kitchen, serve, orders, cooks, knives)
            for _ in range(MORE_EVENINGS):
                if run.ratio <= 1.5:
                    break
                again = _Run(exam, kitchen, serve, orders, cooks, knives)
                run = min(run, again, key=lambda one: one.ratio)
            run.expect(exam)
        if not exam.passed:
            return


def _evening(rng: np.random.Generator, cooks: int, knives: int, mixed: bool) -> list[Order]:
    """Orders for about one second: the knives are busy all the time, and so are the cooks without one.

    Those with a knife come first, or are mixed with the others such that neither kind comes before the other.
    """
    chopping = [Order(f"leek {number}", 0.2, knife=True) for number in range(4 * knives)]
    # Two orders may be the same.
    others = [Order(f"egg {max(1, number)}", 0.25) for number in range(3 * (cooks - knives))]
    if not mixed:
        return [*chopping, *others]
    rest = [*chopping[1:], *others[1:]]
    return [others[0], chopping[0], *(rest[index] for index in rng.permutation(len(rest)))]


def _expect_knives(exam: Examination, kitchen: Watched, hand_out: Any, cooks: int, knives: int) -> None:
    try:
        for number in (cooks, knives):  # an earlier evening may have had more knives
            hand_out(kitchen.client, number)
    except Exception as error:
        exam.require("hand_out runs without an error", False, describe_error(error, hand_out))
    having = sorted(kitchen.knives.values())
    right = having == [0.0] * (cooks - knives) + [1.0] * knives
    exam.require(f"Afterwards {knives} of {cooks} cooks have one knife each, the others none", right,
                 f"knives per cook: {', '.join(f'{number:g}' for number in having)}")  # fmt: skip


def _expect_futures(exam: Examination, served: Any, number: int) -> None:
    right = isinstance(served, (list, tuple)) and len(served) == number
    exam.require("serve returns one future per order", right, describe(served))
    others = [one for one in served if not hasattr(one, "key")]
    exam.require("serve returns futures, and does not wait for the orders", not others,
                 f"there is {describe(others[0])}" if others else "it does")  # fmt: skip


class _Run:
    """One evening served by the learner's function."""

    def __init__(
        self, exam: Examination, kitchen: Watched, serve: Any, orders: list[Order], cooks: int, knives: int
    ) -> None:
        kitchen.seconds.clear()
        served = exam.call(serve, kitchen.client, list(orders))
        _expect_futures(exam, served, len(orders))
        self.entries = _finished(exam, kitchen, served, serve)
        self.n_tasks = len(kitchen.seconds)
        self.orders: Sequence[Order] = orders
        self.knives = knives
        self.bound = max(lower_bounds(orders, cooks, knives).values())
        self.ratio = makespan(self.entries) / self.bound
        work = sum(entry.ended - entry.began for entry in self.entries)
        self.waiting = max(0.0, sum(kitchen.seconds.values()) - work) / work

    def expect(self, exam: Examination) -> None:
        names = sorted(entry.name for entry in self.entries)
        done = names == sorted(order.name for order in self.orders) and self.n_tasks == len(self.orders)
        exam.expect("Each order is done once, even if two are the same", done,
                    f"{self.n_tasks} tasks for {len(self.orders)} orders")  # fmt: skip
        wanted, told = ([one.name for one in several] for several in (self.orders, self.entries))
        exam.expect("The futures are in the same order as the orders", told == wanted,
                    f"orders: {', '.join(wanted[:2])}, …; futures: {', '.join(told[:2])}, …")  # fmt: skip
        needing = {order.name for order in self.orders if order.knife}
        most = most_at_once([entry for entry in self.entries if entry.name in needing])
        exam.expect("No more knives are in use than exist", most <= self.knives, f"{most} at once, of {self.knives}")
        exam.expect("No cook takes an order and then waits for a knife", self.waiting < 0.25,
                    f"waiting inside tasks: {self.waiting:.0%} of the work")  # fmt: skip
        exam.expect("The evening takes at most 1.5 times the lower bound", self.ratio <= 1.5,
                    f"{self.ratio:.2f} times")  # fmt: skip
