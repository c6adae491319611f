"""Wrong: adds up all orders in after, although they can be done at the same time; a chain has one of them."""


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    def chain(name):
        return by_name[name].seconds + sum(chain(earlier) for earlier in by_name[name].after)

    work = sum(order.seconds for order in orders) / cooks
    cutting = sum(order.seconds for order in orders if order.knife) / knives
    return max(work, cutting, max(map(chain, by_name)))
