def luck(chances, right):
    total = 1.0
    for chance in sorted(chances, reverse=True)[:right]:
        total *= chance
    return total if right <= len(chances) else 0.0


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right) > risk:
        right += 1
    return right
