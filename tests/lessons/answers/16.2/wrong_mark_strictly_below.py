def luck(chances, right):
    spread = [1.0]
    for chance in chances:
        spread = [
            a + b
            for a, b in zip([(1 - chance) * s for s in spread] + [0], [0] + [chance * s for s in spread], strict=False)
        ]
    return sum(spread[right:])


def pass_mark(chances, risk):
    right = 0
    while luck(chances, right) > risk - 1e-9:
        right += 1
    return right
