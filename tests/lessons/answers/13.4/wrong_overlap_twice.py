"""Wrong: overlapping kernels count twice for the idle share, too."""


def _tables(connection):
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _rows(connection, device, columns, kind):
    table = f"CUPTI_ACTIVITY_KIND_{kind}"
    if table not in _tables(connection):
        return []
    return connection.execute(f"SELECT {columns} FROM {table} WHERE deviceId = ? ORDER BY start", (device,)).fetchall()


def _covered(spans):
    total, end = 0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0, stop - max(start, end))
        end = max(end, stop)
    return total


def device_summary(connection, device):
    kernels = _rows(connection, device, "start, end", "KERNEL")
    copies = _rows(connection, device, "start, end, bytes, copyKind", "MEMCPY")
    times = kernels + [copy[:2] for copy in copies]
    window = max(stop for _, stop in times) - min(start for start, _ in times)
    return {
        "kernel_seconds": sum(stop - start for start, stop in kernels) / 1e9,
        "to_device_bytes": sum(copy[2] for copy in copies if copy[3] == 1),
        "to_host_bytes": sum(copy[2] for copy in copies if copy[3] == 2),
        "idle_share": 1 - sum(stop - start for start, stop in kernels) / window,
    }
