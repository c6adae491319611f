"""The limit itself is taken as too much."""


def places(steps, login_minutes=10):
    found = []
    for step in steps:
        if step["gpus"] == 0 and step["minutes"] < login_minutes:
            found.append("login")
        elif step["internet"]:
            found.append("split")
        else:
            found.append("compute")
    return found
