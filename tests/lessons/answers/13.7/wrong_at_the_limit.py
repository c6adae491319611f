"""Off at the limits: > instead of >= for 40 and 80 percent and for the free bytes."""

import numpy as np


def _get(trace, name):
    return trace[name] if isinstance(trace, dict) else getattr(trace, name)


def diagnose(trace):
    kernels, copies, host, occupancy = (
        float(np.mean(_get(trace, n))) for n in ("kernels", "copies", "host", "occupancy")
    )
    if _get(trace, "failed") and _get(trace, "free_bytes") > _get(trace, "asked_bytes"):
        return "fragmented"
    if copies > 40:
        return "copying"
    if kernels < 50:
        return "loading" if host > 80 else "waiting"
    return "small kernels" if occupancy < 30 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
