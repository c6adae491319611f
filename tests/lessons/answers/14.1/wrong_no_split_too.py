"""Never splits: what needs the internet goes to the login node, however long it takes."""


def places(steps, login_minutes=10):
    found = []
    for s in steps:
        if s["internet"]:
            found.append("login")
        elif s["gpus"] > 0 or s["minutes"] > login_minutes:
            found.append("compute")
        else:
            found.append("login")
    return found
