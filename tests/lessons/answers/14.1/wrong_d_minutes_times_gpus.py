"""Short steps with a GPU stay on the login node."""


def places(steps, login_minutes=10):
    out = []
    for step in steps:
        login = step["minutes"] <= login_minutes and (step["internet"] or not step["gpus"])
        out.append("login" if login else "split" if step["internet"] else "compute")
    return out
