"""Answers to exercise 03.6."""

# %% right c_sorted_threads: Rows by the sorted threads, a generator for each record's work.
def bars(records):
    threads = sorted({(record["worker"], record["thread"]) for record in records})
    works = [
        (threads.index((record["worker"], record["thread"])), part["start"], part["stop"], record["key"])
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    ]
    zero = min((work[1] for work in works), default=0)
    return [(row, start - zero, stop - start, name) for row, start, stop, name in works]

# %% right table: Rows numbered as they turn up.
def bars(records):
    rows, found = {}, []
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        (work,) = [part for part in record["startstops"] if part["action"] == "compute"]
        found.append([row, work["start"], work["stop"] - work["start"], record["key"]])
    first = min(start for _, start, _, _ in found)
    return [(row, start - first, seconds, name) for row, start, seconds, name in found]

# %% wrong absolute: Times since 1970.
# fails: The first bar starts at 0
def bars(records):
    rows = {(record["worker"], record["thread"]) for record in records}
    row_of = {name: row for row, name in enumerate(sorted(rows))}
    min(record["startstops"][-1]["start"] for record in records)
    return [
        (
            row_of[record["worker"], record["thread"]],
            record["startstops"][-1]["start"],
            record["startstops"][-1]["stop"] - record["startstops"][-1]["start"],
            record["key"],
        )
        for record in records
    ]

# %% wrong b_cut_in_place: Subtracts zero in the records themselves; a function must leave what it is given as it was.
# fails: What it is given stays as it was
def bars(records):
    works = [part for record in records for part in record["startstops"] if part["action"] == "compute"]
    zero = min((part["start"] for part in works), default=0)
    for part in works:
        part["start"] -= zero
        part["stop"] -= zero
    rows = {}
    return [
        (
            rows.setdefault((record["worker"], record["thread"]), len(rows)),
            part["start"],
            part["stop"] - part["start"],
            record["key"],
        )
        for record in records
        for part in record["startstops"]
        if part["action"] == "compute"
    ]

# %% wrong b_first_part: Takes the first part of each record, which may be a transfer.
# fails: A bar starts and ends with the compute part of its task, without the transfers
def bars(records):
    rows, found = {}, []
    for record in records:
        part = record["startstops"][0]
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
    zero = min((bar[1] for bar in found), default=0)
    return [(row, start - zero, seconds, name) for row, start, seconds, name in found]

# %% wrong b_row_per_task: Each task has a row of its own, not each thread.
# fails: Each thread of each worker has a row of its own
def bars(records):
    found = []
    for row, record in enumerate(records):
        for part in record["startstops"]:
            if part["action"] == "compute":
                found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
    zero = min((bar[1] for bar in found), default=0)
    return [(row, start - zero, seconds, name) for row, start, seconds, name in found]

# %% wrong b_row_per_thread: The row depends on the number of the thread only, but threads of two workers may have the same number.
# fails: Each thread of each worker has a row of its own
def bars(records):
    rows, found = {}, []
    for record in records:
        for part in record["startstops"]:
            if part["action"] == "compute":
                row = rows.setdefault(record["thread"], len(rows))
                found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
    zero = min((bar[1] for bar in found), default=0)
    return [(row, start - zero, seconds, name) for row, start, seconds, name in found]

# %% wrong b_stop_for_seconds: The third value is the end of the bar, not how long it takes.
# fails: A bar starts and ends with the compute part of its task, without the transfers
# edit of wrong b_row_per_thread
# ~ record["thread"] => (record["worker"], record["thread"])
# -                 found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
# +                 found.append((row, part["start"], part["stop"], record["key"]))
# -     return [(row, start - zero, seconds, name) for row, start, seconds, name in found]
# +     return [(row, start - zero, stop - zero, name) for row, start, stop, name in found]

# %% wrong b_transfers_too: Draws a bar for each part, also for transfers, instead of one per task.
# fails: There is one bar per task
# edit of wrong b_first_part
# ~ part = record["startstops"][0] => for part in record["startstops"]:
# -         row = rows.setdefault((record["worker"], record["thread"]), len(rows))
# -         found.append((row, part["start"], part["stop"] - part["start"], record["key"]))
# +             row = rows.setdefault((record["worker"], record["thread"]), len(rows))
# +             found.append((row, part["start"], part["stop"] - part["start"], record["key"]))

# %% wrong changes_records
# fails: It runs without an error: TypeError
def bars(records):
    threads = sorted({(r["worker"], r["thread"]) for r in records})
    for r in records:
        r["startstops"][:] = [p for p in r["startstops"] if p["action"] == "compute"]
    zero = min(p["start"] for r in records for p in r["startstops"])
    return [
        (threads.index((r["worker"], r["thread"])), p["start"] - zero, p["stop"] - p["start"], r["key"])
        for r in records
        for p in r["startstops"]
    ]
