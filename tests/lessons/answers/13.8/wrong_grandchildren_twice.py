"""Takes the time of a stage off all stages around it, not only off the next one: wrong where three are nested."""


def breakdown(events, total):
    parts, stack, outer = {}, [], 0.0
    for stage, what, at in events:
        if what == "begin":
            stack.append([at, 0.0])
        else:
            began, inner = stack.pop()
            parts[stage] = parts.get(stage, 0.0) + at - began - inner
            for around in stack:
                around[1] += at - began
            if not stack:
                outer += at - began
    parts["other"] = total - outer
    return parts
