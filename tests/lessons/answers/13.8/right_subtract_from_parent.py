"""Give each stage its whole time, and take it from the one around it."""

from collections import defaultdict


def breakdown(events, total):
    seconds = defaultdict(float)
    seconds["other"] = total
    stack = [("other", None)]
    for stage, what, at in events:
        if what == "begin":
            stack.append((stage, at))
            continue
        name, begin = stack.pop()
        seconds[name] += at - begin
        seconds[stack[-1][0]] -= at - begin
    return dict(seconds)
