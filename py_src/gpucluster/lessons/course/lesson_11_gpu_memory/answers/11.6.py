# %% right heap_too: Style: heapq, while loop; returns a tuple of names.
import heapq


def to_spill(buffers, needed, limit):
    used = sum(b["bytes"] for b in buffers)
    heap = [(b["last_used"], b["bytes"], b["name"]) for b in buffers if not b["exposed"]]
    heapq.heapify(heap)
    gone = ()
    while heap and used + needed > limit:
        _, size, name = heapq.heappop(heap)
        used -= size
        gone += (name,)
    return gone

# %% right pandas: A table, and running sums.
import pandas as pd


def to_spill(buffers, needed, limit):
    if not buffers:
        return []
    table = pd.DataFrame(buffers).sort_values("last_used")
    over = table["bytes"].sum() + needed - limit
    movable = table[~table["exposed"]]
    before = movable["bytes"].cumsum() - movable["bytes"]
    return list(movable.loc[before < over, "name"])

# %% right recursion: Style: recursion, one buffer leaves at a time.
def to_spill(buffers, needed, limit):
    may_leave = [b for b in buffers if not b["exposed"]]
    if not may_leave or sum(b["bytes"] for b in buffers) + needed <= limit:
        return []
    oldest = min(may_leave, key=lambda b: b["last_used"])
    others = [b for b in buffers if b is not oldest]
    return [oldest["name"]] + to_spill(others, needed, limit)

# %% wrong all_leave, edit of the solution: Everything that may leave does.
# fails: No more buffers are spilled than needed
# ~ held + needed <= limit => False

# %% wrong needed_forgotten, edit of the solution: Makes room for what is there, not for what comes.
# fails: What stays and what is needed fit, if possible
# ~ if held + needed <= limit => if held <= limit

# %% wrong as_they_come, edit of the solution: The order of the list, not that of their use.
# fails: What stays and what is needed fit, if possible
# ~ buffer["last_used"] => 0

# %% wrong exposed_leave, edit of the solution: Exposed buffers leave as well.
# fails: Exposed buffers are not spilled
# ~ if not buffer["exposed"]: => if True:

# %% wrong largest_first, edit of wrong as_they_come: The largest leaves first.
# fails: What stays and what is needed fit, if possible
# ~ sorted(buffers, key=lambda buffer: 0): => sorted(buffers, key=lambda buffer: -buffer["bytes"]):
