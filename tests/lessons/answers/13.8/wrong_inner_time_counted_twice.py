"""The time of an inner stage is counted in the outer one as well; the parts are more than the whole,
and "other" too small.
"""


def breakdown(events, total):
    begun, parts = {}, {}
    for stage, what, at in events:
        if what == "begin":
            begun[stage] = at
        else:
            parts[stage] = parts.get(stage, 0.0) + at - begun[stage]
    parts["other"] = total - sum(parts.values())
    return parts
