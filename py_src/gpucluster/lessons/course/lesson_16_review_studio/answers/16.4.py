# %% right one_sort
def turn(card, known, today):
    box = {None: 2, 1: 2, 2: 3, 3: 4, 4: 4}[card and card[0]] if known else 1
    return (box, today + (1, 2, 5, 10)[box - 1])


def due(cards, today):
    def key(name):
        box, day = cards[name] or (0, float("inf"))
        return day, box, name

    return sorted((n for n, c in cards.items() if not c or c[1] <= today), key=key)

# %% right pandas
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

# %% wrong after_box_4_back_to_1
# fails: A known card moves up one box, to 4 at most
# ~ 4: 4} => 4: 1}

# %% wrong box_before_day
# fails: The cards are in the required order
# ~ return day, box, name => return box, day, name

# %% wrong changes_the_deck, edit of right one_sort
# fails: Same input, same result
# -     return sorted((n for n, c in cards.items() if not c or c[1] <= today), key=key)
# +     found = sorted((n for n, c in cards.items() if not c or c[1] <= today), key=key)
# +     cards.update({n: (1, today + 1) for n in found if cards[n] is None})
# +     return found

# %% wrong day_has_passed
# fails: All due cards and all cards never turned are listed
# ~ c[1] <= today => c[1] < today

# %% wrong days_of_the_old_box
# fails: It returns after the days of its new box, counted from today
# ~ (1, 2, 5, 10)[box - 1] => (1, 2, 5, 10)[card[0] - 1 if card else 0]

# %% wrong one_box_down
# fails: It returns after the days of its new box, counted from today
# ~ if known else 1 => if known else max(1, card[0] - 1 if card else 1)
