"""Style: recursion over one iterator; each stage returns its whole time to the one around it."""

import math


def breakdown(events, total):
    own = {}
    steps = iter(events)

    def inside(began):
        children = []
        for stage, what, at in steps:
            if what == "end":
                own.setdefault(stage, []).append(at - began - math.fsum(children))
                return at - began
            children.append(inside(at))
        return None

    outer = [inside(at) for _, _, at in steps]
    return {"other": total - math.fsum(outer)} | {stage: math.fsum(parts) for stage, parts in own.items()}
