"""Wrong: forgets the limit of the knives."""


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    def chain(name):
        return by_name[name].seconds + max((chain(earlier) for earlier in by_name[name].after), default=0)

    return max(sum(order.seconds for order in orders) / cooks, max(map(chain, by_name)))
