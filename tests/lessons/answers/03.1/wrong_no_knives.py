"""Knives are not looked at."""


def bound(orders, cooks, knives):
    known = {order.name: order for order in orders}

    def end(name):
        return known[name].seconds + max((end(earlier) for earlier in known[name].after), default=0)

    return max(sum(order.seconds for order in orders) / cooks, max(end(name) for name in known))
