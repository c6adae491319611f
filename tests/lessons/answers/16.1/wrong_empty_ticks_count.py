def fair_points(paper):
    points = 0.0
    for kind, options, outcome in paper:
        if outcome == "right":
            points += 1
        elif outcome == "wrong" and options:
            points -= 1 / (options - 1) if kind == "choice" else 1 / (2**options - 1)
    return points
