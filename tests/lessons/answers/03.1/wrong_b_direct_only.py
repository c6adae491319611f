"""Wrong: adds only the orders that come directly before, not the whole chain."""


def bound(orders, cooks, knives):
    seconds = {order.name: order.seconds for order in orders}
    chains = [order.seconds + max((seconds[name] for name in order.after), default=0) for order in orders]
    work = sum(seconds.values()) / cooks
    cutting = sum(order.seconds for order in orders if order.knife) / knives
    return max(work, cutting, max(chains))
