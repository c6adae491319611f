"""Forgets the limit of minutes on the login node."""


def places(steps, login_minutes=10):
    return ["split" if s["internet"] and s["gpus"] else "compute" if s["gpus"] else "login" for s in steps]
