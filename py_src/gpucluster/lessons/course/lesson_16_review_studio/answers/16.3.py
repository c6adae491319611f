# %% right loops
def habit_gain(questions, score):
    hit = chance = 0.0
    for question in questions:
        top, best = None, []
        for place, option in enumerate(question["options"]):
            value = score(option)
            if top is None or value > top:
                top, best = value, [place]
            elif value == top:
                best.append(place)
        if question["right"] in best:
            hit += 1 / len(best)
        chance += 1 / len(question["options"])
    return (hit - chance) / len(questions)

# %% right numpy
import numpy as np


def habit_gain(questions, score):
    gains = []
    for question in questions:
        values = np.array([score(option) for option in question["options"]])
        best = values == values.max()
        gains.append(best[question["right"]] / best.sum() - 1 / values.size)
    return np.mean(gains)

# %% wrong always_four, edit of the solution
# fails: If all options score the same, nothing is gained
# ~ 1 / len(scores) => 0.25

# %% wrong always_length, edit of the solution
# fails: A habit that always misleads has a negative gain
# ~ score(option) => len(option)

# %% wrong from_one, edit of the solution: Counts the place of the right option from 1.
# fails: A habit that is always right gains everything that chance leaves
# ~ question["right"] in best => question["right"] - 1 in best

# %% wrong pooled, edit of the solution: Chance is the number of questions divided by that of all options.
# fails: It is right for random questions, with two to six options and ties
# ~ / len(best) - 1 / len(scores) => / len(best)
# ~ gain / len(questions) => gain / len(questions) - len(questions) / sum(len(question["options"]) for question in questions)
