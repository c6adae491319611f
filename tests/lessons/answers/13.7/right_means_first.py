import numpy as np


def diagnose(trace):
    kernels, copies, host, occupancy = map(np.mean, (trace.kernels, trace.copies, trace.host, trace.occupancy))
    word = "healthy"
    if occupancy < 30:
        word = "small kernels"
    if kernels < 50:
        word = "waiting"
        if host >= 80:
            word = "loading"
    if copies >= 40:
        word = "copying"
    if trace.failed and trace.asked_bytes <= trace.free_bytes:
        word = "fragmented"
    return word


fixes = dict(
    zip(
        ["fragmented", "copying", "loading", "waiting", "small kernels"],
        ["pool", "stay", "faster loader", "prefetch", "larger batches"],
        strict=False,
    )
)
