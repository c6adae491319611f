"""When it merges, the end of the later pair replaces that of a longer one which contains it."""


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for j in jobs:
        share = max(j["cores"] / cores_on_node, j["gpus"] / gpus_on_node if gpus_on_node else 0)
        length = j["end"] - j["start"]
        merged = []
        for a, b in sorted(j["busy"]):
            a, b = max(a, j["start"]), min(b, j["end"])
            if b <= a:
                continue
            if merged and a <= merged[-1][1]:
                merged[-1][1] = b
            else:
                merged.append([a, b])
        charged += j["nodes"] * share * length
        idle += j["nodes"] * share * (length - sum(b - a for a, b in merged))
    return charged, idle
