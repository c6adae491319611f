"""One GPU counts as none."""


def places(steps, login_minutes=10):
    found = []
    for step in steps:
        if step["gpus"] <= 1 and step["minutes"] <= login_minutes:
            found.append("login")
        elif step["internet"]:
            found.append("split")
        else:
            found.append("compute")
    return found
