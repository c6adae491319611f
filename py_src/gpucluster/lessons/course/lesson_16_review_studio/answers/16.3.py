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

# %% wrong always_four
# fails: Where all options score the same, nothing is gained
def habit_gain(questions, score):
    hits = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        best = [i for i, s in enumerate(scores) if s == max(scores)]
        hits += (question["right"] in best) / len(best)
    return hits / len(questions) - 0.25

# %% wrong always_length
# fails: A habit that always misleads is below 0
# edit of the solution
# ~ score(option) => len(option)

# %% wrong from_one: Counts the place of the right option from 1.
# fails: A habit that always tells gains all that chance leaves
def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        top = max(points)
        total += (points[q["right"] - 1] == top) / points.count(top) - 1 / len(points)
    return total / len(questions)

# %% wrong pooled: Chance is the number of questions divided by that of all options.
# fails: It is right for random questions, with two to six options and ties
# edit of wrong from_one
# ~ [q["right"] - 1] == top) / points.count(top) - 1 / len(points => [q["right"]] == top) / points.count(top
# ~ len(questions) => len(questions) - len(questions) / sum(len(q["options"]) for q in questions)
