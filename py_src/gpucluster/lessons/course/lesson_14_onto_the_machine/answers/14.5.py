# %% right as_an_array, edit of the solution: Both numbers in one array.
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

# %% wrong beyond_the_end, edit of right gaps: Busy time after the end counts.
# fails: Busy times outside of the job do not count: idle
# ~ min(begin, job["end"]) => begin
# ~ at = min(max(at, end), job["end"]) => at = max(at, end)

# %% wrong busy_returned: Busy instead of idle.
# fails: The share is the larger one of cores and GPUs: idle
# ~ np.array([charged, idle]) => charged, charged - idle

# %% wrong cores_only, edit of right gaps: GPUs are forgotten.
# fails: The share is the larger one of cores and GPUs: charged
# -         if gpus_on_node:
# -             share = max(share, job["gpus"] / gpus_on_node)

# %% wrong idle_in_hours, edit of right gaps: Idle hours instead of node-hours.
# fails: A job that is never busy is idle all the time: idle
# ~ idle += share * waited => idle += waited

# %% wrong last_gap_forgotten, edit of right gaps: Idle time after the last busy one.
# fails: A job that is never busy is idle all the time: idle
# -         waited += job["end"] - at

# %% wrong nested, edit of the solution: When it merges, the end of the later pair replaces that of a longer one which contains it.
# fails: Busy times that overlap count once: idle
# ~ max(at, end) => max(end, job["start"])

# %% wrong no_gpus_fail, edit of right gaps: Nodes without GPUs are a division by zero.
# fails: It runs without an error: ZeroDivisionError
# ~ if gpus_on_node: => if True:

# %% wrong not_sorted, edit of right gaps: Busy times are taken as they come.
# fails: Busy times may come in any order: idle
# ~ sorted(job["busy"]) => job["busy"]

# %% wrong overlaps_twice, edit of right gaps: Overlaps count twice.
# fails: Busy times that overlap count once: idle
# ~ max(at, end) => end

# %% wrong sum_of_shares, edit of right gaps: Both shares are added.
# fails: The share is the larger one of cores and GPUs: charged
# ~ share = max(share, job["gpus"] / gpus_on_node) => share += job["gpus"] / gpus_on_node
