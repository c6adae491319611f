def breakdown(events, total):
    seconds, open_stages, before = {}, [], 0.0
    for stage, what, at in events:
        if open_stages:
            seconds[open_stages[-1]] += at - before
        if what == "begin":
            open_stages.append(stage)
            seconds.setdefault(stage, 0.0)
        else:
            open_stages.pop()
        before = at
    return {**seconds, "other": 0.0}
