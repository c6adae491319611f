"""Right: plain Python; groups of equal chances fill the list until it is full."""

from itertools import groupby


def lift(chance, late, share):
    pairs = sorted(((float(c), float(bool(one))) for c, one in zip(chance, late)), reverse=True)
    size = int(share * len(pairs)) or 1
    room, hits = size, 0.0
    for _, group in groupby(pairs, key=lambda pair: pair[0]):
        outcomes = [one for _, one in group]
        taken = min(room, len(outcomes))
        hits += taken * sum(outcomes) / len(outcomes)
        room -= taken
        if room == 0:
            break
    return (hits / size) / (sum(one for _, one in pairs) / len(pairs))
