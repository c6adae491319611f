def diagnose(trace):
    if trace.failed and trace.free_bytes >= trace.asked_bytes:
        return "fragmented"
    if trace.occupancy.mean() < 30:
        return "small kernels"
    if trace.copies.mean() >= 40:
        return "copying"
    if trace.kernels.mean() < 50:
        return "loading" if trace.host.mean() >= 80 else "waiting"
    return "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
