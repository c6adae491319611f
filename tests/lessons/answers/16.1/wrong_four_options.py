def fair_points(paper):
    points = 0.0
    for kind, _options, outcome in paper:
        if outcome == "right":
            points += 1
        elif outcome == "wrong" and kind == "choice":
            points -= 1 / 3
        elif outcome == "wrong" and kind == "several":
            points -= 1 / 14
    return points
