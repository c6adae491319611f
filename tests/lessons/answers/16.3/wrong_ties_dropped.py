def habit_gain(questions, score):
    gain, n = 0.0, 0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        if scores.count(max(scores)) == 1:
            gain += (scores.index(max(scores)) == question["right"]) - 1 / len(scores)
            n += 1
    return gain / max(n, 1)
