"""Wrong: ignores score, always the longest."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [len(text) for text in q["options"]]
        top = max(points)
        total += (points[q["right"]] == top) / points.count(top) - 1 / len(points)
    return total / len(questions)
