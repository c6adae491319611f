"""Lesson 03, no cluster needed: the lower bound of the makespan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.kitchen import Order
from .. import exercise


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
        exam.expect(f"It is right where the limit is {reason}", all(right), f"{sum(right)} of {len(right)} kitchens")


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
