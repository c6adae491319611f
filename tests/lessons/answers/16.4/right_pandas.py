import numpy as np
import pandas as pd

DAYS = np.array([0, 1, 2, 5, 10])


def turn(card, known, today):
    box = np.clip((1 if card is None else card[0]) + 1, 1, 4) if known else 1
    return int(box), int(today + DAYS[box])


def due(cards, today):
    rows = [(name, *(card or (0, today + 10**6)), card is None) for name, card in cards.items()]
    table = pd.DataFrame(rows, columns=["name", "box", "day", "new"])
    table = table[table["new"] | (table["day"] <= today)]
    return table.sort_values(["new", "day", "box", "name"])["name"].tolist()
