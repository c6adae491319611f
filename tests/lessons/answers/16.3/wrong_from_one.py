"""Wrong: counts the place of the right option from 1."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        top = max(points)
        total += (points[q["right"] - 1] == top) / points.count(top) - 1 / len(points)
    return total / len(questions)
