"""Style: cuts the job at all boundaries and asks for each small segment whether anybody works; exact fractions."""

from fractions import Fraction as F


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged, idle = F(0), F(0)
    for j in jobs:
        shares = [F(j["cores"]) / F(cores_on_node)] + ([F(j["gpus"]) / F(gpus_on_node)] if gpus_on_node else [])
        rate = max(shares) * j["nodes"]
        start, end = F(j["start"]), F(j["end"])
        busy = [(F(a), F(b)) for a, b in j["busy"]]
        cuts = sorted({start, end} | {c for pair in busy for c in pair if start < c < end})
        for a, b in zip(cuts, cuts[1:], strict=False):
            charged += rate * (b - a)
            if not any(x <= a and b <= y for x, y in busy):
                idle += rate * (b - a)
    return float(charged), float(idle)
