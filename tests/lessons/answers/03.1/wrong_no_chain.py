"""The critical path is forgotten; the longest order stands for it."""


def bound(orders, cooks, knives):
    work = sum(order.seconds for order in orders)
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(work / cooks, cutting / knives, max(order.seconds for order in orders))
