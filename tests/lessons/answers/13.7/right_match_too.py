"""Style: pandas for the means, match statement on a tuple of booleans."""

import pandas as pd


def diagnose(trace):
    names = ["kernels", "copies", "host", "occupancy"]
    get = trace.__getitem__ if isinstance(trace, dict) else lambda name: getattr(trace, name)
    means = pd.Series({name: pd.Series(get(name), dtype="float64").mean() for name in names})
    signs = (
        bool(get("failed")) and bool(get("free_bytes") >= get("asked_bytes")),
        bool(means.copies >= 40),
        bool(means.kernels < 50),
        bool(means.host >= 80),
        bool(means.occupancy < 30),
    )
    match signs:
        case (True, *_):
            return "fragmented"
        case (_, True, *_):
            return "copying"
        case (_, _, True, True, _):
            return "loading"
        case (_, _, True, False, _):
            return "waiting"
        case (*_, True):
            return "small kernels"
    return "healthy"


fixes = {
    "waiting": "prefetch",
    "loading": "faster loader",
    "copying": "stay",
    "fragmented": "pool",
    "small kernels": "larger batches",
}
