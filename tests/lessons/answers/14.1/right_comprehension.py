"""Style: two yes/no answers as index into a nested tuple."""


def places(steps, login_minutes=10):
    table = (("login", "login"), ("compute", "split"))
    return [table[s["gpus"] > 0 or s["minutes"] > login_minutes][bool(s["internet"])] for s in steps]
