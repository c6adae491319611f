# %% right as_an_array: Both numbers in one array.
# edit of the solution
# ~ return charged, idle => return np.array([charged, idle])
# - def node_hours(jobs, cores_on_node, gpus_on_node):
# + import numpy as np
# +
# +
# + def node_hours(jobs, cores_on_node, gpus_on_node):

# %% right gaps: The gaps, added up.
# ~ np.array([charged, idle]) => charged, idle

# %% right pandas: NumPy: between any two moments some worker computes, or none.
import numpy as np


def node_hours(jobs, cores_on_node, gpus_on_node):
    totals = np.zeros(2)
    for job in jobs:
        start, end = job["start"], job["end"]
        rate = job["nodes"] * max(job["cores"] / cores_on_node, job["gpus"] / (gpus_on_node or np.inf))
        busy = np.array(job["busy"], dtype=float).reshape(-1, 2).clip(start, end)
        moments = np.unique([start, end, *busy.ravel()])
        middles, lengths = (moments[1:] + moments[:-1]) / 2, np.diff(moments)
        works = ((busy[:, :1] < middles) & (middles < busy[:, 1:])).any(axis=0)
        totals += rate * lengths.sum(), rate * lengths[~works].sum()
    return tuple(totals)

# %% wrong beyond_the_end: Busy time after the end counts.
# fails: Busy times outside of the job do not count: idle
# edit of right gaps
# ~ min(begin, job["end"]) => begin
# ~ at = min(max(at, end), job["end"]) => at = max(at, end)

# %% wrong busy_returned: Busy instead of idle.
# fails: The share is the larger one of cores and GPUs: idle
# ~ np.array([charged, idle]) => charged, charged - idle

# %% wrong cores_only: GPUs are forgotten.
# fails: The share is the larger one of cores and GPUs: charged
# edit of right gaps
# -         if gpus_on_node:
# -             share = max(share, job["gpus"] / gpus_on_node)

# %% wrong idle_in_hours: Idle hours instead of node-hours.
# fails: A job that is never busy is idle all the time: idle
# edit of right gaps
# ~ idle += share * waited => idle += waited

# %% wrong last_gap_forgotten: Idle time after the last busy one.
# fails: A job that is never busy is idle all the time: idle
# edit of right gaps
# -         waited += job["end"] - at

# %% wrong nested: When it merges, the end of the later pair replaces that of a longer one which contains it.
# fails: Busy times that overlap count once: idle
# edit of the solution
# ~ max(at, end) => max(end, job["start"])

# %% wrong no_gpus_fail: Nodes without GPUs are a division by zero.
# fails: It runs without an error: ZeroDivisionError
# edit of right gaps
# ~ if gpus_on_node: => if True:

# %% wrong not_sorted: Busy times are taken as they come.
# fails: Busy times may come in any order: idle
# edit of right gaps
# ~ sorted(job["busy"]) => job["busy"]

# %% wrong overlaps_twice: Overlaps count twice.
# fails: Busy times that overlap count once: idle
# edit of right gaps
# ~ max(at, end) => end

# %% wrong sum_of_shares: Both shares are added.
# fails: The share is the larger one of cores and GPUs: charged
# edit of right gaps
# ~ share = max(share, job["gpus"] / gpus_on_node) => share += job["gpus"] / gpus_on_node
