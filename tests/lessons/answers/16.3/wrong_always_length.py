def habit_gain(questions, score):
    gain = 0.0
    for question in questions:
        scores = [len(option) for option in question["options"]]
        best = [i for i, s in enumerate(scores) if s == max(scores)]
        gain += (question["right"] in best) / len(best) - 1 / len(scores)
    return gain / len(questions)
