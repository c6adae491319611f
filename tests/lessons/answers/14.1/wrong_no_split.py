"""What needs the internet is always on the login node."""


def places(steps, login_minutes=10):
    found = []
    for step in steps:
        if step["gpus"] == 0 and step["minutes"] <= login_minutes or step["internet"]:
            found.append("login")
        else:
            found.append("compute")
    return found
