"""Wrong: the longest single order instead of the longest chain of orders."""


def bound(orders, cooks, knives):
    work = sum(order.seconds for order in orders) / cooks
    cutting = sum(order.seconds for order in orders if order.knife) / knives
    return max(work, cutting, max(order.seconds for order in orders))
