"""The ten of the default, whatever the site says."""


def places(steps, login_minutes=10):
    out = []
    for step in steps:
        login = not step["gpus"] and step["minutes"] <= 10
        out.append("login" if login else "split" if step["internet"] else "compute")
    return out
