"""Walks all chains with a stack and keeps the longest."""


def bound(orders, cooks, knives):
    orders = list(orders)
    table = {order.name: (order.seconds, order.after) for order in orders}
    longest = 0.0
    stack = [(name, 0.0) for name in table]
    while stack:
        name, so_far = stack.pop()
        seconds, after = table[name]
        longest = max(longest, so_far + seconds)
        stack.extend((earlier, so_far + seconds) for earlier in after)
    work = 0.0
    with_knife = 0.0
    for order in orders:
        work += order.seconds
        if order.knife:
            with_knife += order.seconds
    return max(longest, work / cooks, with_knife / knives)
