DAYS = {1: 1, 2: 2, 3: 5, 4: 10}


def turn(card, known, today):
    box = card[0] if card else 1
    box = min(box + 1, 4) if known else 1
    return box, today + DAYS[box]


def due(cards, today):
    result = []
    for name in sorted(cards, key=lambda n: (cards[n] is None, (cards[n] or (0, 0))[::-1], n)):
        if cards[name] is None or cards[name][1] <= today:
            result.append(name)
            cards[name] = (1, today + 1)
    return result
