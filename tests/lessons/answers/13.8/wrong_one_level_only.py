def breakdown(events, total):
    """What is two levels inside is taken off twice."""
    seconds, stack = {}, []
    for stage, what, at in events:
        if what == "begin":
            stack.append((stage, at))
        else:
            name, begin = stack.pop()
            seconds[name] = seconds.get(name, 0.0) + at - begin
            for around, _ in stack:
                seconds[around] = seconds.get(around, 0.0) - (at - begin)
    return {**seconds, "other": total - sum(seconds.values())}
