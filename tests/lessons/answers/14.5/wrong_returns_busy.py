"""Returns the busy node-hours as the second number."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = worked = 0.0
    for j in jobs:
        share = max(j["cores"] / cores_on_node, j["gpus"] / gpus_on_node if gpus_on_node else 0)
        busy, until = 0.0, j["start"]
        for a, b in sorted(j["busy"]):
            a, b = max(a, until), min(b, j["end"])
            if b > a:
                busy, until = busy + b - a, b
        charged += j["nodes"] * share * (j["end"] - j["start"])
        worked += j["nodes"] * share * busy
    return charged, worked
