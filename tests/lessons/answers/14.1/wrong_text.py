"""One text instead of a list."""


def places(steps, login_minutes=10):
    return ", ".join("login" if not step["gpus"] and step["minutes"] <= login_minutes else "compute" for step in steps)
