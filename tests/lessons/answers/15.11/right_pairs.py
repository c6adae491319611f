def copies(calls, nbytes):
    sides = [True] + [fast for _, fast, _ in calls]
    sizes = [nbytes] + [size for _, _, size in calls]
    moves = list(zip(sides, sides[1:], sizes, strict=False))
    return [sum(size for a, b, size in moves if a and not b), sum(size for a, b, size in moves if b and not a)]
