"""Right: pandas sort_values for the turned ones."""

import pandas as pd

DAYS = {1: 1, 2: 2, 3: 5, 4: 10}


def turn(card, known, today):
    box = {True: {1: 2, 2: 3, 3: 4, 4: 4}}.get(bool(known), {}).get((card or (1, 0))[0], 1)
    return box, today + DAYS[box]


def due(cards, today):
    rows = [(card[1], card[0], name) for name, card in cards.items() if card is not None]
    table = pd.DataFrame(rows, columns=["day", "box", "name"])
    table = table[table["day"] <= today].sort_values(["day", "box", "name"])
    return table["name"].tolist() + sorted(name for name, card in cards.items() if card is None)
