"""Answers to exercise 11.2."""

# %% right alive_dictionary: Style: a plain loop with one dictionary of what is alive, everything summed anew at each step.
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

# %% wrong c_count_at_byte_peak: The peak of the count is that of the moment with the most bytes.
# fails: peak_count is right
def statistics(events):
    alive, total, count, most, peak = {}, 0, 0, 0, 0
    for event in events:
        if event[0] == "allocate":
            alive[event[1]] = event[2]
            total, count = total + event[2], count + 1
            if sum(alive.values()) > peak:
                peak, most = sum(alive.values()), len(alive)
        else:
            del alive[event[1]]
    return {
        "current_bytes": sum(alive.values()),
        "current_count": len(alive),
        "peak_bytes": peak,
        "peak_count": most,
        "total_bytes": total,
        "total_count": count,
    }

# %% wrong c_names_once: A name that comes again is not counted again.
# fails: total_bytes is right
def statistics(events):
    sizes = {}
    current = peak = number = most = 0
    alive = {}
    for event in events:
        if event[0] == "allocate":
            sizes[event[1]] = event[2]
            alive[event[1]] = event[2]
        else:
            del alive[event[1]]
        current, number = sum(alive.values()), len(alive)
        peak, most = max(peak, current), max(most, number)
    return {
        "current_bytes": current,
        "current_count": number,
        "peak_bytes": peak,
        "peak_count": most,
        "total_bytes": sum(sizes.values()),
        "total_count": len(sizes),
    }

# %% wrong c_peak_of_one: The peak is the largest single allocation.
# fails: peak_bytes is right
# edit of wrong c_count_at_byte_peak
# -             if sum(alive.values()) > peak:
# -                 peak, most = sum(alive.values()), len(alive)
# +             most, peak = max(most, len(alive)), max(peak, event[2])

# %% wrong c_rounded: Rounds each allocation up to 256 bytes, as a pool does.
# fails: current_bytes is right
# edit of wrong c_peak_of_one
# -             alive[event[1]] = event[2]
# -             total, count = total + event[2], count + 1
# -             most, peak = max(most, len(alive)), max(peak, event[2])
# +             size = -(-event[2] // 256) * 256
# +             alive[event[1]] = size
# +             total, count = total + size, count + 1
# +             peak, most = max(peak, sum(alive.values())), max(most, len(alive))

# %% wrong count_of_names: Counts different names, not requests.
# fails: total_count is right
def statistics(events):
    live = {}
    peak_bytes = peak_count = total_bytes = total_count = 0
    for action, name, *size in events:
        if action == "allocate":
            live[name] = size[0]
            total_bytes += size[0]
            total_count += 1
        else:
            del live[name]
        peak_bytes = max(peak_bytes, sum(live.values()))
        peak_count = max(peak_count, len(live))
    return {
        "current_bytes": sum(live.values()),
        "current_count": len(live),
        "peak_bytes": peak_bytes,
        "peak_count": peak_count,
        "total_bytes": total_bytes,
        "total_count": len({event[1] for event in events}),
    }

# %% wrong current_is_last: The size of the last request stands for what is alive.
# fails: current_bytes is right
def statistics(events):
    sizes = [event[2] for event in events if event[0] == "allocate"]
    frees = len(events) - len(sizes)
    return {
        "current_bytes": sizes[-1] if sizes else 0,
        "current_count": len(sizes) - frees,
        "peak_bytes": sum(sizes),
        "peak_count": len(sizes),
        "total_bytes": sum(sizes),
        "total_count": len(sizes),
    }

# %% wrong empties_the_list: Takes the events out of the list that it is given.
# fails: What it is given stays as it was
# edit of wrong count_of_names
# ~ len({event[1] for event in events}) => total_count
# -     live = {}
# -     peak_bytes = peak_count = total_bytes = total_count = 0
# -     for action, name, *size in events:
# +     live, peak_bytes, peak_count, total_bytes, total_count = {}, 0, 0, 0, 0
# +     while events:
# +         action, name, *size = events.pop(0)

# %% wrong empty_list: Fails for an empty list: max() and [-1] of nothing.
# fails: It runs without an error: IndexError
def statistics(events):
    sizes, bytes_, counts = {}, [], []
    for e in events:
        if e[0] == "allocate":
            sizes[e[1]] = e[2]
        else:
            sizes.pop(e[1])
        bytes_.append(sum(sizes.values()))
        counts.append(len(sizes))
    made = [e[2] for e in events if e[0] == "allocate"]
    return {
        "current_bytes": bytes_[-1],
        "current_count": counts[-1],
        "peak_bytes": max(bytes_),
        "peak_count": max(counts),
        "total_bytes": sum(made),
        "total_count": len(made),
    }

# %% wrong name_only_once: Makes a table of sizes by name first, so a name that comes again with another size is counted with the last one.
# fails: peak_bytes is right
def statistics(events):
    sizes = {e[1]: e[2] for e in events if e[0] == "allocate"}
    cb = cc = pb = pc = tb = tc = 0
    for e in events:
        if e[0] == "allocate":
            cb += sizes[e[1]]
            cc += 1
            tb += sizes[e[1]]
            tc += 1
        else:
            cb -= sizes[e[1]]
            cc -= 1
        pb, pc = max(pb, cb), max(pc, cc)
    return {
        "current_bytes": cb,
        "current_count": cc,
        "peak_bytes": pb,
        "peak_count": pc,
        "total_bytes": tb,
        "total_count": tc,
    }

# %% wrong never_freed: What is freed is not looked at.
# fails: current_bytes is right
# edit of wrong count_of_names
# ~ len({event[1] for event in events}) => total_count
# -         else:
# -             del live[name]
# +

# %% wrong rounded: Rounds each request up to a multiple of 256 bytes, as the pool does.
# fails: current_bytes is right
# edit of wrong count_of_names
# ~ live[name] = size[0] => live[name] = -(-size[0] // 256) * 256
# ~ len({event[1] for event in events}) => total_count
