def device_summary(connection, device):
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    kernels = connection.execute(
        "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = ? ORDER BY start", (device,)
    ).fetchall()
    copies = []
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        query = "SELECT start, end, bytes, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ?"
        copies = connection.execute(query, (device,)).fetchall()
    begin = min([start for start, _ in kernels] + [copy[0] for copy in copies])
    end = max([stop for _, stop in kernels] + [copy[1] for copy in copies])
    busy, latest = 0, begin
    for start, stop in sorted(kernels + [copy[:2] for copy in copies]):
        busy += max(0, stop - max(start, latest))
        latest = max(latest, stop)
    return {
        "kernel_seconds": sum(stop - start for start, stop in kernels) / 1e9,
        "to_device_bytes": sum(size for *_, size, kind in copies if kind == 1),
        "to_host_bytes": sum(size for *_, size, kind in copies if kind == 2),
        "idle_share": 1 - busy / (end - begin),
    }
