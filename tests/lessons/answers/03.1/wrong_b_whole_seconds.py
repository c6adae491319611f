"""Wrong: floor division cuts the seconds of the first two limits."""


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    def chain(name):
        return by_name[name].seconds + max((chain(earlier) for earlier in by_name[name].after), default=0)

    work = sum(order.seconds for order in orders) // cooks
    cutting = sum(order.seconds for order in orders if order.knife) // knives
    return max(work, cutting, max(map(chain, by_name)))
