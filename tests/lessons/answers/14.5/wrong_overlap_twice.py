"""Counts moments twice where busy pairs overlap."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for j in jobs:
        share = max(j["cores"] / cores_on_node, j["gpus"] / gpus_on_node if gpus_on_node else 0)
        length = j["end"] - j["start"]
        busy = sum(max(0.0, min(b, j["end"]) - max(a, j["start"])) for a, b in j["busy"])
        charged += j["nodes"] * share * length
        idle += j["nodes"] * share * max(0.0, length - busy)
    return charged, idle
