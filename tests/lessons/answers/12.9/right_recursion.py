from functools import cache


def staged_seconds(n_bytes, piece, stages):
    count = (n_bytes + piece - 1) // piece

    def cost(number, place):
        size = piece if number < count - 1 else n_bytes - (count - 1) * piece
        return stages[place][0] + size / stages[place][1]

    @cache
    def leaves(number, place):
        if number < 0 or place < 0:
            return 0.0
        return max(leaves(number - 1, place), leaves(number, place - 1)) + cost(number, place)

    return leaves(count - 1, len(stages) - 1)
