"""Ignores login_minutes and always takes 10."""


def places(steps, login_minutes=10):
    found = []
    for s in steps:
        heavy = s["gpus"] > 0 or s["minutes"] > 10
        found.append("split" if heavy and s["internet"] else "compute" if heavy else "login")
    return found
