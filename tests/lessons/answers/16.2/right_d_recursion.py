"""With or without the first question right, remembered."""

from functools import cache


def luck(chances, right):
    @cache
    def at_least(place, needed):
        if needed <= 0:
            return 1.0
        if place == len(chances):
            return 0.0
        p = chances[place]
        return p * at_least(place + 1, needed - 1) + (1 - p) * at_least(place + 1, needed)

    return at_least(0, right)


def pass_mark(chances, risk):
    return next(right for right in range(len(chances) + 2) if luck(chances, right) <= risk)
