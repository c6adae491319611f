"""A step of exactly login_minutes is not allowed on the login node."""


def places(steps, login_minutes=10):
    found = []
    for s in steps:
        heavy = s["gpus"] > 0 or s["minutes"] >= login_minutes
        found.append("split" if heavy and s["internet"] else "compute" if heavy else "login")
    return found
