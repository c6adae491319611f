"""Right: begins and ends as events, walked through once; bytes from SQL SUM with COALESCE."""


def device_summary(connection, device):
    events = []
    for start, end in connection.execute(
        "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = ?", [device]
    ):
        events += [(start, 1), (end, -1)]
    added = sum(-sign * time for time, sign in events)
    bytes_of = {1: 0, 2: 0}
    if connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY'").fetchone()[0]:
        for kind in bytes_of:
            bytes_of[kind] = connection.execute(
                "SELECT COALESCE(SUM(bytes), 0) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ? AND copyKind = ?",
                (device, kind),
            ).fetchone()[0]
        for times in connection.execute(
            "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE deviceId = ?", [device]
        ):
            events += [(time, 0) for time in times]
    events.sort()
    idle, running = 0, 0
    for (time, sign), (after, _) in zip(events, events[1:] + events[-1:], strict=False):
        running += sign
        idle += (after - time) * (running == 0)
    return {
        "kernel_seconds": added / 1_000_000_000,
        "to_device_bytes": bytes_of[1],
        "to_host_bytes": bytes_of[2],
        "idle_share": idle / (events[-1][0] - events[0][0]),
    }
