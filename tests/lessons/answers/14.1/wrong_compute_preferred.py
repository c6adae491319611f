"""Puts what can be done on both on a compute node."""


def places(steps, login_minutes=10):
    found = []
    for s in steps:
        heavy = s["gpus"] > 0 or s["minutes"] > login_minutes
        found.append("split" if heavy and s["internet"] else "login" if s["internet"] else "compute")
    return found
