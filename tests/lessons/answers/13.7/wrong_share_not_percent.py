def diagnose(trace):
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.copies.mean() >= 0.4:
        return "copying"
    if trace.kernels.mean() < 0.5:
        return "loading" if trace.host.mean() >= 0.8 else "waiting"
    return "small kernels" if trace.occupancy.mean() < 0.3 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
