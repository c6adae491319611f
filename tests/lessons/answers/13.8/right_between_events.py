"""Style: the time between two events goes to whoever is on top of the stack; "other" is the bottom of the stack."""

from collections import Counter
from itertools import pairwise


def breakdown(events, total):
    own = Counter(other=0.0)
    stack = []
    seen = 0.0
    for (stage, what, at), (_, _, later) in pairwise(events):
        if what == "begin":
            stack.append(stage)
        else:
            stack.pop()
        if stack:
            own[stack[-1]] += later - at
            seen += later - at
        for each in stack:
            own[each] += 0.0
    own["other"] = total - seen
    return dict(own)
