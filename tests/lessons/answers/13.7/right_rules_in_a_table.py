"""A list of rules; the first that holds."""

RULES = [
    ("fragmented", lambda t: t.failed and not t.asked_bytes > t.free_bytes),
    ("copying", lambda t: sum(t.copies) / len(t.copies) >= 40),
    ("loading", lambda t: t.kernels.mean() < 50 and t.host.mean() >= 80),
    ("waiting", lambda t: t.kernels.mean() < 50),
    ("small kernels", lambda t: t.occupancy.mean() < 30),
    ("healthy", lambda t: True),
]


def diagnose(trace):
    return next(word for word, holds in RULES if holds(trace))


fixes = {
    "fragmented": "pool",
    "copying": "stay",
    "loading": "faster loader",
    "waiting": "prefetch",
    "small kernels": "larger batches",
}
