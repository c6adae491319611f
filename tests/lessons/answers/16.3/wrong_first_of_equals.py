def habit_gain(questions, score):
    gain = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        gain += (scores.index(max(scores)) == question["right"]) - 1 / len(scores)
    return gain / len(questions)
