"""A stage that comes many times is overwritten, not added up."""


def breakdown(events, total):
    parts, stack, outer = {}, [], 0.0
    for stage, what, at in events:
        if what == "begin":
            stack.append([at, 0.0])
        else:
            began, inner = stack.pop()
            parts[stage] = at - began - inner
            if stack:
                stack[-1][1] += at - began
            else:
                outer += at - began
    parts["other"] = total - outer
    return parts
