def habit_gain(questions, score):
    hits = chance = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        best = [i for i, s in enumerate(scores) if s == max(scores)]
        hits += (question["right"] in best) / len(best)
        chance += 1 / len(scores)
    return hits / chance - 1
