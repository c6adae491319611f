def bound(orders, cooks, knives):
    w = sum(o.seconds for o in orders) / cooks
    k = sum(o.seconds for o in orders if o.knife) / knives
    ends = {}
    while orders:
        o = orders.pop(0)
        if all(a in ends for a in o.after):
            ends[o.name] = o.seconds + max([ends[a] for a in o.after], default=0)
        else:
            orders.append(o)
    return max(w, k, max(ends.values()))
