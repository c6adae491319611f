"""Let the database add up."""

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
