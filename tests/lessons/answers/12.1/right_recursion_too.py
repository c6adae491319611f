"""Style: recursion over the steps, returns a list of two numbers."""


def crossings(steps, start):
    if len(steps) == 0:
        return [0, 0]
    (_, place, n), rest = steps[0], steps[1:]
    if place == "any" or place == start:
        return crossings(rest, start)
    count, total = crossings(rest, place)
    return [count + 1, total + n]
