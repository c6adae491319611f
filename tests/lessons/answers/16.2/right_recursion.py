"""Right: recursion with a cache, from the first question on."""

from functools import cache


def luck(chances, right):
    chances = tuple(chances)

    @cache
    def at_least(place, missing):
        if missing <= 0:
            return 1.0
        if len(chances) - place < missing:
            return 0.0
        p = chances[place]
        return p * at_least(place + 1, missing - 1) + (1 - p) * at_least(place + 1, missing)

    return at_least(0, right)


def pass_mark(chances, risk):
    return next(right for right in range(len(chances) + 2) if luck(chances, right) <= risk)
