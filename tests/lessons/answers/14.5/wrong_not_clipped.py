"""Counts what lies before or after the job as well."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for j in jobs:
        share = max(j["cores"] / cores_on_node, j["gpus"] / gpus_on_node if gpus_on_node else 0)
        length = j["end"] - j["start"]
        busy, until = 0.0, float("-inf")
        for a, b in sorted(j["busy"]):
            a = max(a, until)
            if b > a:
                busy, until = busy + b - a, b
        charged += j["nodes"] * share * length
        idle += j["nodes"] * share * (length - busy)
    return charged, idle
