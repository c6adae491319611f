"""A function that reads one stage and those inside it."""


def breakdown(events, total):
    own, left = {}, list(events)

    def read():
        name, _, begin = left.pop(0)
        own.setdefault(name, 0.0)
        inside = 0.0
        while left[0][1] == "begin":
            inside += read()
        _, _, end = left.pop(0)
        own[name] += end - begin - inside
        return end - begin

    covered = 0.0
    while left:
        covered += read()
    own["other"] = total - covered
    return own
