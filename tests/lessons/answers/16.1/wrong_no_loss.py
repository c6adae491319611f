def fair_points(paper):
    points = 0.0
    for _kind, _options, outcome in paper:
        points += outcome == "right"
    return points
