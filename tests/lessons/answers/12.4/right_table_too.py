"""Style: a dictionary of functions by unit, the second function through an exact fraction."""

from fractions import Fraction

PER_UNIT = {
    "GB/s": lambda d: Fraction(1),
    "Gb/s": lambda d: Fraction(1, 8),
    "GT/s": lambda d: Fraction(d["lanes"] * d["encoding"][0], 8 * d["encoding"][1]),
}


def one_way(link):
    speed = Fraction(link["value"]) * 10**9 * PER_UNIT[link["unit"]](link)
    return float(speed / 2 if link.get("both_directions") else speed)


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
