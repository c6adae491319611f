WAIT = [1, 2, 5, 10]


def turn(card, known, today):
    if not known:
        return [1, today + 1]
    box = 2 if card is None else card[0] + 1
    if box > 4:
        box = 4
    return [box, today + WAIT[box - 1]]


def due(cards, today):
    result = []
    for name in sorted(cards):
        if cards[name] is not None and cards[name][1] <= today:
            result.append(name)
    result.sort(key=lambda name: (cards[name][1], cards[name][0]))
    for name in sorted(cards):
        if cards[name] is None:
            result.append(name)
    return result
