"""Wrong: the sum over questions and not the share."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        top = max(points)
        total += (points[q["right"]] == top) / points.count(top) - 1 / len(points)
    return total
