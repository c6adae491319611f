"""Charges whole nodes: the share is ignored."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for j in jobs:
        length = j["end"] - j["start"]
        busy, until = 0.0, j["start"]
        for a, b in sorted(j["busy"]):
            a, b = max(a, until), min(b, j["end"])
            if b > a:
                busy, until = busy + b - a, b
        charged += j["nodes"] * length
        idle += j["nodes"] * (length - busy)
    return charged, idle
