"""Wrong: expects that an order comes after those that it waits for; the orders come in any sequence."""


def bound(orders, cooks, knives):
    end = {}
    for order in orders:
        end[order.name] = order.seconds + max((end.get(name, 0) for name in order.after), default=0)
    work = sum(order.seconds for order in orders) / cooks
    cutting = sum(order.seconds for order in orders if order.knife) / knives
    return max(work, cutting, *end.values())
