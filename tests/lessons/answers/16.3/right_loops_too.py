"""Right: plain loops."""


def habit_gain(questions, score):
    if not questions:
        return 0.0
    by_habit = by_chance = 0.0
    for question in questions:
        best, who = None, []
        for place, text in enumerate(question["options"]):
            points = score(text)
            if best is None or points > best:
                best, who = points, [place]
            elif points == best:
                who.append(place)
        if question["right"] in who:
            by_habit += 1 / len(who)
        by_chance += 1 / len(question["options"])
    return (by_habit - by_chance) / len(questions)
