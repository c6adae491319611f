def crossings(steps, start):
    where = [start]
    for _, place, _ in steps:
        where.append(where[-1] if place == "any" else place)
    moved = [step[2] for step, before, after in zip(steps, where, where[1:], strict=False) if before != after]
    return [len(moved), sum(moved)]
