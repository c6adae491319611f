"""Halves only where the unit is GB/s, although other links may be given as sums as well."""


def one_way(link):
    speed = link["value"] * 1e9
    if link["unit"] == "GB/s":
        return speed / 2 if link.get("both_directions") else speed
    if link["unit"] == "GT/s":
        speed *= link["lanes"] * link["encoding"][0] / link["encoding"][1]
    return speed / 8


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
