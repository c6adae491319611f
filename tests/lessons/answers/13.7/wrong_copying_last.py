def diagnose(trace):
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.kernels.mean() < 50:
        return "loading" if trace.host.mean() >= 80 else "waiting"
    if trace.copies.mean() >= 40:
        return "copying"
    return "small kernels" if trace.occupancy.mean() < 30 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
