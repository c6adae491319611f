"""Right: one sorted call with a key that puts new cards last."""

DAYS = {1: 1, 2: 2, 3: 5, 4: 10}


def turn(card, known, today):
    old = 1 if card is None else card[0]
    new = min(4, old + 1) if known else 1
    return new, today + DAYS[new]


def due(cards, today):
    names = [name for name, card in cards.items() if card is None or card[1] <= today]
    return sorted(names, key=lambda name: (1, 0, 0, name) if cards[name] is None else (0, *cards[name][::-1], name))
