def diagnose(trace):
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.copies.mean() >= 40:
        return "copying"
    if trace.kernels[-1] < 50:
        return "loading" if trace.host.mean() >= 80 else "waiting"
    return "small kernels" if trace.occupancy.mean() < 30 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
