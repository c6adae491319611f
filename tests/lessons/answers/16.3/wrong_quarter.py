"""Wrong: chance is always a quarter."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        top = max(points)
        total += (points[q["right"]] == top) / points.count(top)
    return total / len(questions) - 0.25
