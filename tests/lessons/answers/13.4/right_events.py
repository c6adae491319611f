"""Count the kernels that run, from event to event."""


def device_summary(connection, device):
    kernels = [
        row[:2]
        for row in connection.execute("SELECT start, end, deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL")
        if row[2] == device
    ]
    there = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY'"
    copies = []
    if connection.execute(there).fetchone()[0]:
        query = "SELECT start, end, bytes, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = :device"
        copies = list(connection.execute(query, {"device": device}))
    moments = sorted([(start, 1) for start, _ in kernels] + [(stop, -1) for _, stop in kernels])
    moments += [(max([moments[-1][0], *(copy[1] for copy in copies)]), 0)]
    now, running, idle = min([moments[0][0], *(copy[0] for copy in copies)]), 0, 0
    begin = now
    for at, change in moments:
        if running == 0:
            idle += at - now
        running += change
        now = at
    result = {"kernel_seconds": 0.0, "to_device_bytes": 0, "to_host_bytes": 0, "idle_share": idle / (now - begin)}
    for start, stop in kernels:
        result["kernel_seconds"] += (stop - start) / 1e9
    for *_, size, kind in copies:
        if kind in (1, 2):
            result["to_device_bytes" if kind == 1 else "to_host_bytes"] += size
    return result
