DAYS = {1: 1, 2: 2, 3: 5, 4: 10}


def turn(card, known, today):
    box = card[0] if card else 1
    box = min(box + 1, 4) if known else 1
    return box, (card[1] if card else today) + DAYS[box]


def due(cards, today):
    begun = sorted((day, box, name) for name, (box, day) in ((n, c) for n, c in cards.items() if c) if day <= today)
    return [name for day, box, name in begun] + sorted(name for name, card in cards.items() if card is None)
