def diagnose(trace):
    starved = trace.kernels.sum() < 50 * trace.kernels.size
    enough = trace.free_bytes - trace.asked_bytes >= 0
    match tuple(map(bool, (trace.failed and enough, trace.copies.mean() >= 40, starved, trace.host.mean() >= 80))):
        case (True, _, _, _):
            return "fragmented"
        case (_, True, _, _):
            return "copying"
        case (_, _, True, True):
            return "loading"
        case (_, _, True, False):
            return "waiting"
    return "healthy" if trace.occupancy.mean() >= 30 else "small kernels"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
