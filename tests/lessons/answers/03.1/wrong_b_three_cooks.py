"""Wrong: three cooks and two knives of the notebook are fixed."""


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    def chain(name):
        return by_name[name].seconds + max((chain(earlier) for earlier in by_name[name].after), default=0)

    work = sum(order.seconds for order in orders) / 3
    cutting = sum(order.seconds for order in orders if order.knife) / 2
    return max(work, cutting, max(map(chain, by_name)))
