from fractions import Fraction


def one_way(link):
    speed = Fraction(link["value"]) * 1_000_000_000
    if link["unit"] == "GT/s":
        speed = speed * link["lanes"] * Fraction(*link["encoding"])
    if link["unit"] in ("GT/s", "Gb/s"):
        speed = speed / 8
    if link["both_directions"]:
        speed = speed / 2
    return speed


def seconds_to_move(n_bytes, link):
    return Fraction(n_bytes) / one_way(link)
