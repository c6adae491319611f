"""Wrong: begins with a best score of 0, so that negative scores are never picked."""


def habit_gain(questions, score):
    total = 0.0
    for q in questions:
        best, who = 0, []
        for place, text in enumerate(q["options"]):
            if score(text) > best:
                best, who = score(text), [place]
            elif score(text) == best:
                who.append(place)
        total += (1 / len(who) if q["right"] in who else 0) - 1 / len(q["options"])
    return total / len(questions)
