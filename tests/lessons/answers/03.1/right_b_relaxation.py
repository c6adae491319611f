"""Repeats over all orders until no finishing time changes any more."""


def bound(orders, cooks, knives):
    end = {order.name: order.seconds for order in orders}
    changed = True
    while changed:
        changed = False
        for order in orders:
            for name in order.after:
                if end[name] + order.seconds > end[order.name] + 1e-12:
                    end[order.name] = end[name] + order.seconds
                    changed = True
    limits = [sum(order.seconds for order in orders) / cooks]
    limits.append(sum(order.seconds * order.knife for order in orders) / knives)
    limits.extend(end.values())
    return max(limits)
