# %% right table: Rows numbered as they turn up.
def bars(records):
    rows, found = {}, []
    for record in records:
        row = rows.setdefault((record["worker"], record["thread"]), len(rows))
        (work,) = [part for part in record["startstops"] if part["action"] == "compute"]
        found.append([row, work["start"], work["stop"] - work["start"], record["key"]])
    first = min(start for _, start, _, _ in found)
    return [(row, start - first, seconds, name) for row, start, seconds, name in found]

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

# %% wrong absolute: Times since 1970.
# fails: The first bar starts at 0
# ~ start - first => start

# %% wrong b_cut_in_place, edit of the solution: Subtracts zero in the records themselves; a function must not change its arguments.
# fails: Inputs are not modified
# ~ ["start"] - zero => ["start"]
# -     zero = min(part["start"] for _, part in work)
# +     zero = min(part["start"] for _, part in work)
# +     for _, part in work:
# +         part["start"] -= zero
# +         part["stop"] -= zero

# %% wrong b_first_part: Takes the first part of each record, which may be a transfer.
# fails: A bar starts and ends with the compute part of its task, without the transfers
# ~ (work,) = [part for part in record["startstops"] if part["action"] == "compute"] => work = record["startstops"][0]

# %% wrong b_row_per_task: Each task has its own row, not each thread.
# fails: Each thread of each worker has its own row
# ~ rows.setdefault((record["worker"], record["thread"]), len(rows)) => len(found)

# %% wrong b_row_per_thread: The row depends on the number of the thread only, but threads of two workers may have the same number.
# fails: Each thread of each worker has its own row
# ~ (record["worker"], record["thread"]) => record["thread"]

# %% wrong b_stop_for_seconds: The third value is the end of the bar, not how long it takes.
# fails: A bar starts and ends with the compute part of its task, without the transfers
# ~ ["stop"] - work["start"] => ["stop"]
# ~ first, seconds => first, seconds - first

# %% wrong b_transfers_too: Draws a bar for each part, even for transfers, instead of one per task.
# fails: There is one bar per task
# -         (work,) = [part for part in record["startstops"] if part["action"] == "compute"]
# -         found.append([row, work["start"], work["stop"] - work["start"], record["key"]])
# +         for work in record["startstops"]:
# +             found.append([row, work["start"], work["stop"] - work["start"], record["key"]])

# %% wrong changes_records, edit of the solution
# fails: It runs without an error: TypeError
# -     row_of = {thread: row for row, thread in enumerate(threads)}
# +     row_of = {thread: row for row, thread in enumerate(threads)}
# +     for record in records:
# +         record["startstops"][:] = [part for part in record["startstops"] if part["action"] == "compute"]
