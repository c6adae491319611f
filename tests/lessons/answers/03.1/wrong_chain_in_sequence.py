"""Believes that an order comes after those it waits for in the list."""


def bound(orders, cooks, knives):
    end = {}
    for order in orders:
        end[order.name] = order.seconds + max((end.get(name, 0) for name in order.after), default=0)
    work = sum(order.seconds for order in orders)
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(work / cooks, cutting / knives, *end.values())
