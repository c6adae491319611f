"""Lesson 03: knives that are shared by waiting, knives that the scheduler knows about, and the idle share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...examination import Examination, describe, describe_error
from ...simulations.kitchen import Entry, Order, is_entry, makespan, most_at_once, noted
from .. import exercise
from .bound import lower_bounds
from .observing import Watched, watched_kitchen

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
    exam.expect("Never more knives in use than there are", most <= knives, f"{most} at once, of {knives}")
    exam.expect("All knives are in use at times", most == knives, f"{most} at once, of {knives}")
    exam.expect("Every knife is back at the end", free_at_end, "all are" if free_at_end else "some are still taken")
    waits = {
        True: max(entry.began - entry.taken for entry in entries if entry.name.startswith("leek")),
        False: max(entry.began - entry.taken for entry in entries if entry.name.startswith("egg")),
    }
    exam.expect("Orders without a knife do not wait for one", waits[False] < 0.5 * max(waits[True], 0.1),
                f"longest wait {waits[False]:.2f} s without, {waits[True]:.2f} s with a knife")  # fmt: skip
    _expect_shares(exam, idle_share)


def _cook_with_semaphore(
    exam: Examination, kitchen: Watched, with_semaphore: Any, orders: list[Order], knives: int
) -> tuple[list[Entry], bool]:
    from distributed import Semaphore

    with kitchen.client.as_current():
        drawer = Semaphore(max_leases=knives, name="knives")
        futures = kitchen.client.map(noted, orders, pure=False, task=with_semaphore, rest=(drawer,))
        entries = _finished(exam, kitchen, futures, with_semaphore)
        free = drawer.get_value() == 0
        drawer.close()
    return entries, free


def _expect_shares(exam: Examination, idle_share: Any) -> None:
    for _ in range(20):
        log, cooks, share = random_log(exam.rng)
        found = exam.call(idle_share, log, cooks)
        right = isinstance(found, (int, float)) and abs(float(found) - share) < 1e-6
        observed = "all are" if right else f"{found!r} instead of {share:.6f}: {len(log)} orders, {cooks} cooks"
        exam.expect("The idle share is right in 20 random logs, also when a cook has nothing to do", right, observed)


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
        exam.require("The evening comes to an end", False, f"orders still wait after {LONGEST_WAIT:.0f} s{where}")
    try:
        entries = [future.result() if hasattr(future, "key") else future for future in futures]
    except Exception as error:
        exam.require("It runs without an error", False, describe_error(error, function))
    right = all(map(is_entry, entries))
    exam.require(
        "Each order gives what hands_on returns: an Entry", right, describe(entries[0]) if entries else "nothing"
    )
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
        exam.expect("Each order is done once, also where two are the same", done,
                    f"{self.n_tasks} tasks for {len(self.orders)} orders")  # fmt: skip
        wanted, told = ([one.name for one in several] for several in (self.orders, self.entries))
        exam.expect("The futures stand in the sequence of the orders", told == wanted,
                    f"orders: {', '.join(wanted[:2])}, …; futures: {', '.join(told[:2])}, …")  # fmt: skip
        needing = {order.name for order in self.orders if order.knife}
        most = most_at_once([entry for entry in self.entries if entry.name in needing])
        exam.expect("Never more knives in use than there are", most <= self.knives, f"{most} at once, of {self.knives}")
        exam.expect("No cook takes an order and then waits for a knife", self.waiting < 0.25,
                    f"waiting inside tasks: {self.waiting:.0%} of the work")  # fmt: skip
        exam.expect("The evening takes at most 1.5 times the lower bound", self.ratio <= 1.5,
                    f"{self.ratio:.2f} times")  # fmt: skip
