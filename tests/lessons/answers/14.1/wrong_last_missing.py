"""The last step is forgotten."""


def places(steps, login_minutes=10):
    found = []
    for step in steps[:-1]:
        if step["gpus"] == 0 and step["minutes"] <= login_minutes:
            found.append("login")
        elif step["internet"]:
            found.append("split")
        else:
            found.append("compute")
    return found
