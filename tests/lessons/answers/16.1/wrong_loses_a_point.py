def fair_points(paper):
    points = 0.0
    for _kind, _options, outcome in paper:
        points += {"right": 1, "wrong": -1, "skipped": 0}[outcome]
    return points
