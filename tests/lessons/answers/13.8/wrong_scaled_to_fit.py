def breakdown(events, total):
    """Whole times, made to fit."""
    begun, seconds = {}, {}
    for stage, what, at in events:
        if what == "begin":
            begun[stage] = at
        else:
            seconds[stage] = seconds.get(stage, 0.0) + at - begun[stage]
    factor = min(1.0, total / sum(seconds.values()))
    seconds = {stage: value * factor for stage, value in seconds.items()}
    return {**seconds, "other": total - sum(seconds.values())}
