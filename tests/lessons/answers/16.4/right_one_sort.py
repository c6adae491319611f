def turn(card, known, today):
    box = {None: 2, 1: 2, 2: 3, 3: 4, 4: 4}[card and card[0]] if known else 1
    return (box, today + (1, 2, 5, 10)[box - 1])


def due(cards, today):
    def key(name):
        box, day = cards[name] or (0, float("inf"))
        return day, box, name

    return sorted((n for n, c in cards.items() if not c or c[1] <= today), key=key)
