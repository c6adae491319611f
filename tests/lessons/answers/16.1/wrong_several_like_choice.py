def fair_points(paper):
    points = 0.0
    for _kind, options, outcome in paper:
        if outcome == "right":
            points += 1
        elif outcome == "wrong" and options:
            points -= 1 / (options - 1)
    return points
