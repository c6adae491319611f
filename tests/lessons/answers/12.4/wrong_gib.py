"""Takes a giga for 2**30."""


def one_way(link):
    speed = link["value"] * 2**30
    if link["unit"] == "GT/s":
        speed *= link["lanes"] * link["encoding"][0] / link["encoding"][1]
    if link["unit"] != "GB/s":
        speed /= 8
    return speed / 2 if link.get("both_directions") else speed


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
