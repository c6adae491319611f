"""Style: sorted intervals, one pass, generator for the jobs."""


def _busy(job):
    until, total = job["start"], 0.0
    for begin, end in sorted(job["busy"]):
        begin, end = max(begin, until), min(end, job["end"])
        if end > begin:
            total += end - begin
            until = end
    return total


def node_hours(jobs, cores_on_node, gpus_on_node):
    charged = idle = 0.0
    for job in jobs:
        share = job["cores"] / cores_on_node
        if gpus_on_node:
            share = max(share, job["gpus"] / gpus_on_node)
        length = job["end"] - job["start"]
        charged += job["nodes"] * share * length
        idle += job["nodes"] * share * (length - _busy(job))
    return charged, idle
