def breakdown(events, total):
    seconds, open_stages, before = {}, [], 0.0
    while events:
        stage, what, at = events.pop(0)
        if open_stages:
            seconds[open_stages[-1]] += at - before
        if what == "begin":
            open_stages.append(stage)
            seconds.setdefault(stage, 0.0)
        else:
            open_stages.pop()
        before = at
    return {**seconds, "other": total - sum(seconds.values())}
