"""Right: an index of its own, from pairs counted with Counter, and sizes in plain Python."""

from collections import Counter
from itertools import combinations
from math import comb


def pairs(labels):
    return sum(comb(n, 2) for n in Counter(labels).values())


def ari(one, other):
    one, other = [int(a) for a in one], [int(b) for b in other]
    together, first, second = pairs(list(zip(one, other))), pairs(one), pairs(other)
    expected = first * second / comb(len(one), 2)
    highest = (first + second) / 2
    return 1.0 if highest == expected else (together - expected) / (highest - expected)


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    for k in sorted(runs_of, reverse=True):
        runs = runs_of[k]
        tiny = any(min(Counter(int(label) for label in run).values()) < smallest * len(run) for run in runs)
        if not tiny and all(ari(a, b) >= at_least for a, b in combinations(runs, 2)):
            return k
    return 0
