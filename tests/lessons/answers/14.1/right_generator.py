"""A generator, with match."""


def places(steps, login_minutes=10):
    for step in steps:
        match (step["gpus"] > 0 or step["minutes"] > login_minutes, step["internet"]):
            case (False, _):
                yield "login"
            case (True, True):
                yield "split"
            case _:
                yield "compute"
