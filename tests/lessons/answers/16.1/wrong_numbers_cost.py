def fair_points(paper):
    points = 0.0
    for kind, options, outcome in paper:
        if outcome == "right":
            points += 1
        elif outcome == "wrong":
            points -= 1 if options is None else 1 / (options - 1) if kind == "choice" else 1 / (2**options - 2)
    return points
