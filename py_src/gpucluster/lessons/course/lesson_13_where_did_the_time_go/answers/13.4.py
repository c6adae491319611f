# %% right pandas
import pandas as pd


def device_summary(connection, device):
    kernels = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL", connection)
    kernels = kernels[kernels.deviceId == device].sort_values("start")
    names = pd.read_sql("SELECT name FROM sqlite_master WHERE type='table'", connection).name.tolist()
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in names:
        copies = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY", connection)
        copies = copies[copies.deviceId == device]
    else:
        copies = pd.DataFrame({"start": [], "end": [], "bytes": [], "copyKind": []})
    everything = pd.concat([kernels[["start", "end"]], copies[["start", "end"]]]) if len(copies) else kernels
    before = kernels.end.cummax().shift(fill_value=kernels.start.min())
    busy = (kernels.end - kernels[["start"]].assign(before=before).max(axis=1)).clip(lower=0).sum()
    return {
        "kernel_seconds": (kernels.end - kernels.start).sum() / 1e9,
        "to_device_bytes": int(copies.loc[copies.copyKind == 1, "bytes"].sum()),
        "to_host_bytes": int(copies.loc[copies.copyKind == 2, "bytes"].sum()),
        "idle_share": 1 - busy / (everything.end.max() - everything.start.min()),
    }

# %% right sql: Let the database add up.
import sqlite3

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"


def device_summary(connection, device):
    def ask(query):
        try:
            return connection.execute(query, (device,)).fetchall()
        except sqlite3.OperationalError:
            return []

    total, begin, end = ask(f"SELECT SUM(end - start), MIN(start), MAX(end) FROM {KERNELS} WHERE deviceId = ?")[0]
    moved = dict(ask(f"SELECT copyKind, SUM(bytes) FROM {COPIES} WHERE deviceId = ? GROUP BY copyKind"))
    limits = ask(f"SELECT MIN(start), MAX(end) FROM {COPIES} WHERE deviceId = ?")
    if limits and limits[0][0] is not None:
        begin, end = min(begin, limits[0][0]), max(end, limits[0][1])
    idle, latest = 0, begin
    for start, stop in ask(f"SELECT start, end FROM {KERNELS} WHERE deviceId = ? ORDER BY start"):
        idle += max(start - latest, 0)
        latest = max(latest, stop)
    idle += end - latest
    return {
        "kernel_seconds": total * 1e-9,
        "to_device_bytes": moved.get(1, 0),
        "to_host_bytes": moved.get(2, 0),
        "idle_share": idle / (end - begin),
    }

# %% wrong all_devices, edit of right sql
# fails: The kernels' seconds are summed, for this device only
# ~ query, (device,) => query.replace("WHERE deviceId = ?", "")

# %% wrong busy_share, edit of the solution
# fails: The idle share is the fraction of time without a kernel, from the first to the last kernel or copy
# ~ "idle_share": 1 - busy / (end - begin) => "idle_share": busy / (end - begin)

# %% wrong copies_of_all_devices, edit of the solution
# fails: The bytes from host to device are those of copyKind 1, of this device only
# ~ CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ? => CUPTI_ACTIVITY_KIND_MEMCPY
# ~ query, (device,) => query

# %% wrong needs_copies, edit of the solution
# fails: It runs without an error: OperationalError
# ~ if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables => if tables

# %% wrong counts_copies, edit of the solution
# fails: The bytes from host to device are those of copyKind 1, of this device only
# ~ "to_device_bytes": sum(size for *_, size => "to_device_bytes": sum(1 for *_

# %% wrong deletes_the_others, edit of the solution
# fails: The database is unchanged
# -     """Return {"kernel_seconds": …, "to_device_bytes": …, "to_host_bytes": …, "idle_share": …}."""
# +     connection.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId != ?", (device,))

# %% wrong directions_swapped, edit of wrong counts_copies
# fails: The bytes from host to device are those of copyKind 1, of this device only
# ~ 1 for *_, kind in copies if kind == 1 => size for *_, size, kind in copies if kind == 2
# -         "to_host_bytes": sum(size for *_, size, kind in copies if kind == 2),
# +         "to_host_bytes": sum(size for *_, size, kind in copies if kind == 1),

# %% wrong microseconds, edit of the solution
# fails: The kernels' seconds are summed, for this device only
# ~ 1e9 => 1e6

# %% wrong one_stream, edit of the solution
# fails: The kernels' seconds are summed, for this device only
# ~ deviceId = ? ORDER BY start => streamId = 7 AND deviceId = ?
