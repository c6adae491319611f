"""Wrong: takes the first of several options with the highest score."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        total += (points.index(max(points)) == q["right"]) - 1 / len(points)
    return total / len(questions)
