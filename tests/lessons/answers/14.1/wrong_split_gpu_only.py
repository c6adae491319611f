"""Splits only steps with GPUs; a long one with the internet stays on the login node."""


def places(steps, login_minutes=10):
    found = []
    for s in steps:
        if s["internet"] and s["gpus"]:
            found.append("split")
        elif s["internet"]:
            found.append("login")
        elif s["gpus"] or s["minutes"] > login_minutes:
            found.append("compute")
        else:
            found.append("login")
    return found
