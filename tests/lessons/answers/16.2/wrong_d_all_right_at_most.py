"""Never more than there are questions."""


def luck(chances, right):
    spread = [1.0]
    for p in chances:
        spread = [a * (1 - p) + b * p for a, b in zip([*spread, 0.0], [0.0, *spread])]
    return sum(spread[right:])


def pass_mark(chances, risk):
    right = 0
    while right < len(chances) and luck(chances, right) > risk:
        right += 1
    return right
