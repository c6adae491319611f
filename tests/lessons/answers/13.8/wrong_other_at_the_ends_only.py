""" "other" is total minus the time from the first to the last event: the time between stages is forgotten."""


def breakdown(events, total):
    parts, stack = {}, []
    for stage, what, at in events:
        if what == "begin":
            stack.append([at, 0.0])
        else:
            began, inner = stack.pop()
            parts[stage] = parts.get(stage, 0.0) + at - began - inner
            if stack:
                stack[-1][1] += at - began
    parts["other"] = total - (events[-1][2] - events[0][2]) if events else total
    return parts
