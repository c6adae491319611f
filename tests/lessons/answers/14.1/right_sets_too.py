"""Style: a set of possible places per step, impossible ones are taken out."""


def places(steps, login_minutes=10):
    answer = []
    for step in steps:
        possible = {"login", "compute"}
        if step["internet"]:
            possible.discard("compute")
        if step["gpus"]:
            possible.discard("login")
        if not step["minutes"] <= login_minutes:
            possible.discard("login")
        answer.append("split" if not possible else "login" if "login" in possible else possible.pop())
    return answer
