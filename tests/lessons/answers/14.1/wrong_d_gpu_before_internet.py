"""Whoever needs a GPU goes to a compute node, with or without the internet."""


def places(steps, login_minutes=10):
    out = []
    for step in steps:
        if step["gpus"]:
            out.append("compute")
        elif step["internet"]:
            out.append("login" if step["minutes"] <= login_minutes else "split")
        else:
            out.append("login" if step["minutes"] <= login_minutes else "compute")
    return out
