"""Wrong: a tie counts as fully right."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        points = [score(text) for text in q["options"]]
        total += (points[q["right"]] == max(points)) - 1 / len(points)
    return total / len(questions)
