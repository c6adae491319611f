def breakdown(events, total):
    seconds, open_stages, before = {}, [], 0.0
    for stage, what, at in events:
        if what == "begin":
            seconds.setdefault(stage, 0.0)
            open_stages.append(stage)
            if before:
                seconds[stage] += at - before
        else:
            seconds[open_stages[-1]] += at - before
            open_stages.pop()
        before = at
    return {**seconds, "other": total - sum(seconds.values())}
