"""More than so many, not at least."""


def luck(chances, right):
    spread = [1.0]
    for p in chances:
        spread = [a * (1 - p) + b * p for a, b in zip([*spread, 0.0], [0.0, *spread])]
    return sum(spread[right + 1 :])


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right - 1) > risk and right <= len(chances):
        right += 1
    return right
