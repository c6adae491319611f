"""Style: a table of rules with lambdas, next() takes the first; the trace may be an object or a
dictionary (the text does not say).
"""

import numpy as np

_RULES = [
    ("fragmented", lambda t, m: t("failed") and t("free_bytes") >= t("asked_bytes")),
    ("copying", lambda t, m: m("copies") >= 40),
    ("loading", lambda t, m: m("kernels") < 50 and m("host") >= 80),
    ("waiting", lambda t, m: m("kernels") < 50),
    ("small kernels", lambda t, m: m("occupancy") < 30),
    ("healthy", lambda t, m: True),
]


def diagnose(trace):
    def value(name):
        return trace[name] if isinstance(trace, dict) else getattr(trace, name)

    return next(word for word, rule in _RULES if rule(value, lambda name: np.mean(value(name))))


fixes = dict(
    zip(
        ("fragmented", "copying", "loading", "waiting", "small kernels"),
        ("pool", "stay", "faster loader", "prefetch", "larger batches"),
        strict=False,
    )
)
