"""Where it could be done, as a set."""


def places(steps, login_minutes=10):
    def possible(step):
        nodes = {"login", "compute"}
        if step["internet"]:
            nodes -= {"compute"}
        if step["gpus"] or step["minutes"] > login_minutes:
            nodes -= {"login"}
        return nodes

    return ["login" if "login" in (n := possible(s)) else "compute" if n else "split" for s in steps]
