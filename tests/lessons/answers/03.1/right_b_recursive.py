"""Recursion with a cache for the longest chain."""

from functools import cache


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    @cache
    def chain(name):
        order = by_name[name]
        return order.seconds + max((chain(earlier) for earlier in order.after), default=0.0)

    work = sum(order.seconds for order in orders) / cooks
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(work, cutting / knives if cutting else 0.0, max(map(chain, by_name), default=0.0))
