"""Kernels in exactly half of the time are too few."""


def diagnose(trace):
    kernels, copies, host, occupancy = (
        one.mean() for one in (trace.kernels, trace.copies, trace.host, trace.occupancy)
    )
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if copies >= 40:
        return "copying"
    if kernels <= 50:
        return "loading" if host >= 80 else "waiting"
    return "small kernels" if occupancy < 30 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
