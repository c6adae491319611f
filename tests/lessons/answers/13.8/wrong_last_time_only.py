def breakdown(events, total):
    seconds, stack, inside = {}, [], []
    for stage, what, at in events:
        if what == "begin":
            stack.append(at)
            inside.append(0.0)
        else:
            whole = at - stack.pop()
            seconds[stage] = whole - inside.pop()
            if inside:
                inside[-1] += whole
    return {**seconds, "other": total - sum(seconds.values())}
