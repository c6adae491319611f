def habit_gain(questions, score):
    hit = chance = 0.0
    for question in questions:
        top, best = None, []
        for place, option in enumerate(question["options"]):
            value = score(option)
            if top is None or value > top:
                top, best = value, [place]
            elif value == top:
                best.append(place)
        if question["right"] in best:
            hit += 1 / len(best)
        chance += 1 / len(question["options"])
    return (hit - chance) / len(questions)
