# %% right alive_dictionary: Style: a plain loop with one dictionary of what is alive, everything summed again at each step.
def statistics(events):
    alive = {}
    made = []
    peak_bytes = peak_count = 0
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            made.append(event[2])
        else:
            del alive[event[1]]
        peak_bytes = max(peak_bytes, sum(alive.values()))
        peak_count = max(peak_count, len(alive))
    return {
        "total_count": len(made),
        "total_bytes": sum(made),
        "peak_count": peak_count,
        "peak_bytes": peak_bytes,
        "current_count": len(alive),
        "current_bytes": sum(alive.values()),
    }

# %% right cumsum: Style: NumPy, a column of changes and its cumulative sum; the values are NumPy integers.
import numpy as np


def statistics(events):
    sizes = {}
    changes = [(0, 0)]
    for what, name, *size in events:
        if what == "allocate":
            sizes[name] = size[0]
            changes.append((size[0], 1))
        else:
            changes.append((-sizes[name], -1))
    changes = np.array(changes, dtype=np.int64)
    running = np.cumsum(changes, axis=0)
    made = changes[changes[:, 1] > 0]
    result = {}
    for column, unit in enumerate(("bytes", "count")):
        result["current_" + unit] = running[-1, column]
        result["peak_" + unit] = running[:, column].max()
        result["total_" + unit] = made[:, column].sum() if len(made) else 0
    return result

# %% wrong c_count_at_byte_peak, edit of the solution: The peak of the count is that of the moment with the most bytes.
# fails: peak_count is right
# ~ max(counts) => counts[sizes.index(max(sizes))]

# %% wrong c_names_once: A name that comes again is not counted again.
# fails: total_bytes is right
# ~ made = [] => made = {}
# ~ made.append(event[2]) => made[event[1]] = event[2]
# ~ "total_bytes": sum(made), => "total_bytes": sum(made.values()),

# %% wrong c_peak_of_one: The peak is the largest single allocation.
# fails: peak_bytes is right
# ~ peak_bytes, sum(alive.values()) => made, default=0

# %% wrong count_of_names, edit of the solution: Counts different names, not requests.
# fails: total_count is right
# ~ total_count, => len({event[1] for event in events}),

# %% wrong current_is_last: The size of the last request stands for what is alive.
# fails: current_bytes is right
# ~ "current_bytes": sum(alive.values()) => "current_bytes": made[-1] if made else 0

# %% wrong empty_list, edit of the solution: Fails for an empty list: max() and [-1] of nothing.
# fails: It runs without an error: IndexError
# ~ counts = [0], [0] => counts = [], []

# %% wrong name_only_once: Makes a table of sizes by name first, so a name that comes again with another size is counted with the last one.
# fails: peak_bytes is right
# ~ alive[event[1]] = event[2] => alive[event[1]] = sizes[event[1]]
# ~ append(event[2]) => append(sizes[event[1]])
# -     made = []
# +     made, sizes = [], {event[1]: event[2] for event in events if event[0] == "allocate"}

# %% wrong never_freed: What is freed is not looked at.
# fails: current_bytes is right
# ~ del alive[event[1]] => pass

# %% wrong rounded: Rounds each request up to a multiple of 256 bytes, as the pool does.
# fails: current_bytes is right
# ~ alive[event[1]] = event[2] => alive[event[1]] = -(-event[2] // 256) * 256
