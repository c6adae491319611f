def crossings(steps, start):
    places = [(place, size) for _, place, size in steps if place != "any"]
    moves = [one[1] for before, one in zip(places, places[1:], strict=False) if before[0] != one[0]]
    return len(moves), sum(moves)
