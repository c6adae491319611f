def breakdown(events, total):
    begun, seconds = {}, {}
    for stage, what, at in events:
        if what == "begin":
            begun[stage] = at
        else:
            seconds[stage] = seconds.get(stage, 0.0) + at - begun[stage]
    return {**seconds, "other": total - sum(seconds.values())}
