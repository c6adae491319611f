def breakdown(events, total):
    seconds, stack = {stage: 0.0 for stage, _, _ in events}, []
    for stage, what, at in events:
        if what == "begin":
            stack.append((stage, at))
        else:
            name, begin = stack.pop()
            if not stack:
                seconds[name] += at - begin
    return {**seconds, "other": total - sum(seconds.values())}
