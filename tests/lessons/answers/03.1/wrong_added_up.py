"""The limits are added instead of compared."""


def bound(orders, cooks, knives):
    work = sum(order.seconds for order in orders if not order.knife)
    cutting = sum(order.seconds for order in orders if order.knife)
    return work / cooks + cutting / knives
