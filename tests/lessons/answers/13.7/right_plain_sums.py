"""Style: no NumPy, sum and len; the result is built from the last rule to the first; fixes is filled entry by entry."""


def _get(trace, name):
    return trace[name] if isinstance(trace, dict) else getattr(trace, name)


def _mean(trace, name):
    values = list(_get(trace, name))
    return float(sum(map(float, values))) / len(values)


def diagnose(trace):
    word = "healthy"
    if _mean(trace, "occupancy") < 30:
        word = "small kernels"
    if not _mean(trace, "kernels") >= 50:
        word = "waiting"
        if _mean(trace, "host") >= 80:
            word = "loading"
    if not _mean(trace, "copies") < 40:
        word = "copying"
    if _get(trace, "failed") and not _get(trace, "asked_bytes") > _get(trace, "free_bytes"):
        word = "fragmented"
    return word


fixes = {}
fixes["small kernels"] = "larger batches"
fixes["waiting"] = "prefetch"
fixes["loading"] = "faster loader"
fixes["copying"] = "stay"
fixes["fragmented"] = "pool"
