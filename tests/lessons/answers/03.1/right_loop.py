"""The ends of all orders, found in rounds."""


def bound(orders, cooks, knives):
    end = {}
    while len(end) < len(orders):
        for order in orders:
            if order.name not in end and all(name in end for name in order.after):
                end[order.name] = order.seconds + max([0, *(end[name] for name in order.after)])
    all_work = sum(order.seconds for order in orders)
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(max(end.values()), all_work / cooks, cutting / knives)
