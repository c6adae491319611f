"""The nodes that are left when each rule has taken some away."""


def places(steps, login_minutes=10):
    found = []
    for step in steps:
        left = {"login", "compute"}
        if step["internet"]:
            left -= {"compute"}
        if step["gpus"]:
            left -= {"login"}
        if step["minutes"] > login_minutes:
            left.discard("login")
        found.append(max(left, default="split"))
    return found
