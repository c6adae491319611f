"""Asks for idle kernels before it asks for copies, so a job that copies a lot is called loading or waiting."""

import numpy as np


def _get(trace, name):
    return trace[name] if isinstance(trace, dict) else getattr(trace, name)


def diagnose(trace):
    kernels, copies, host, occupancy = (
        float(np.mean(_get(trace, n))) for n in ("kernels", "copies", "host", "occupancy")
    )
    if _get(trace, "failed") and _get(trace, "free_bytes") >= _get(trace, "asked_bytes"):
        return "fragmented"
    if kernels < 50 and host >= 80:
        return "loading"
    if kernels < 50:
        return "waiting"
    if copies >= 40:
        return "copying"
    return "small kernels" if occupancy < 30 else "healthy"


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
