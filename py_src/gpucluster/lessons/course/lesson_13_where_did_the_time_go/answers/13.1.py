# %% right sweep: Generators; a sweep over sorted begins with the latest end so far.
def _work(records):
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                yield part["start"], part["stop"]


def idle_share(records, threads):
    work = list(_work(records))
    window = max(stop for _, stop in work) - min(start for start, _ in work)
    return 1 - sum(stop - start for start, stop in work) / (threads * window)


def longest_gap(records):
    work = sorted(_work(records))
    began = end = work[0][0] if work else 0.0
    best = (0.0, 0.0)
    for start, stop in work:
        if start - end > best[1]:
            best = (end - began, start - end)
        end = max(end, stop)
    return best

# %% right pandas
import pandas as pd


def table(records):
    rows = [part for record in records for part in record["startstops"]]
    found = pd.DataFrame(rows)
    return found[found.action == "compute"].sort_values("start", ignore_index=True)


def idle_share(records, threads):
    work = table(records)
    return 1 - (work.stop - work.start).sum() / ((work.stop.max() - work.start.min()) * threads)


def longest_gap(records):
    work = table(records)
    before = work.stop.cummax().shift()
    gaps = (work.start - before).fillna(0).clip(lower=0)
    if gaps.max() == 0:
        return (0.0, 0.0)
    place = gaps.idxmax()
    return (before[place] - work.start[0], gaps[place])

# %% wrong all_but_transfers: Everything but transfers counts as work.
# fails: The idle share covers all threads of the cluster, during the computation
# ~ part["action"] == "compute": => part["action"] != "transfer":

# %% wrong clock_time: The start of the gap is a time of the clock, not counted from the beginning of the window.
# fails: Its start is relative to the beginning of the window
# ~ end - began => end

# %% wrong first_compute_part: Only the first compute part of each record counts.
# fails: The idle share covers all threads of the cluster, during the computation
# -                 yield part["start"], part["stop"]
# +                 yield part["start"], part["stop"]
# +                 break

# %% wrong gap_of_a_thread, edit of right sweep: The longest gap of one thread, in which others may have computed.
# fails: The longest gap is one in which no thread computed, however long other tasks take
from itertools import pairwise


def longest_gap(records):
    began = min(start for start, _ in _work(records))
    gaps = [(0.0, 0.0)]
    for thread in {(one["worker"], one["thread"]) for one in records}:
        own = sorted(_work(one for one in records if (one["worker"], one["thread"]) == thread))
        gaps += [(start - stop, stop - began) for (_, stop), (start, _) in pairwise(own)]
    return max(gaps)[::-1]

# %% wrong gap_to_neighbour, edit of the solution
# fails: If some thread is always computing, there is no gap
# fails: The longest gap is one in which no thread computed, however long other tasks take
# ~ max(latest, stop) => stop

# %% wrong last_part: Only the last part of each record counts, whatever it is.
# fails: The idle share covers all threads of the cluster, during the computation
# ~ record["startstops"]: => record["startstops"][-1:]:
# ~ part["action"] == "compute": => part["action"]:
