"""What fits on both goes to compute."""


def places(steps, login_minutes=10):
    found = []
    for step in steps:
        if step["gpus"] == 0 and step["minutes"] <= login_minutes and step["internet"]:
            found.append("login")
        elif step["internet"] and step["gpus"] + step["minutes"] > login_minutes:
            found.append("split")
        else:
            found.append("compute")
    return found
