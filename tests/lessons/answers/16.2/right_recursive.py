def luck(chances, right):
    def at_least(place, wanted):
        if wanted <= 0:
            return 1.0
        if place == len(chances):
            return 0.0
        c = chances[place]
        return c * at_least(place + 1, wanted - 1) + (1 - c) * at_least(place + 1, wanted)

    return at_least(0, right)


def pass_mark(chances, risk):
    mark = len(chances) + 1
    while mark > 0 and luck(chances, mark - 1) <= risk:
        mark -= 1
    return mark
