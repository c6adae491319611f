"""Cut time at all events; find out who was innermost in each piece by the depth of nesting."""


def breakdown(events, total):
    spans, opened = [], []
    for stage, what, at in events:
        if what == "begin":
            opened.append((stage, at, len(opened)))
        else:
            name, begin, depth = opened.pop()
            spans.append((begin, at, depth, name))
    parts = {name: 0.0 for *_, name in spans}
    moments = sorted({moment for span in spans for moment in span[:2]})
    for left, right in zip(moments, moments[1:], strict=False):
        inside = [span for span in spans if span[0] <= left and span[1] >= right]
        if inside:
            parts[max(inside, key=lambda span: span[2])[3]] += right - left
    return {**parts, "other": total - sum(parts.values())}
