"""A fine grid would be too coarse: events, sorted, with a counter."""

from collections import defaultdict


def idle_hours(job):
    changes = defaultdict(int)
    for begin, end in job["busy"]:
        changes[begin] += 1
        changes[end] -= 1
    changes[job["start"]] += 0
    changes[job["end"]] += 0
    idle, running, before = 0, 0, None
    for moment in sorted(changes):
        if before is not None and running == 0 and job["start"] <= before and moment <= job["end"]:
            idle += moment - before
        running += changes[moment]
        before = moment
    return idle


def node_hours(jobs, cores_on_node, gpus_on_node):
    def weight(job):
        of_gpus = job["gpus"] / gpus_on_node if gpus_on_node else 0
        return job["nodes"] * max(job["cores"] / cores_on_node, of_gpus)

    return [
        sum(weight(job) * (job["end"] - job["start"]) for job in jobs),
        sum(weight(job) * idle_hours(job) for job in jobs),
    ]
