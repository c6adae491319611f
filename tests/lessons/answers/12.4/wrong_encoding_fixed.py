"""Always uses 128 of 130 bits instead of the link's own encoding."""


def one_way(link):
    speed = link["value"] * 1e9
    if link["unit"] == "GT/s":
        speed *= link["lanes"] * 128 / 130
    if link["unit"] != "GB/s":
        speed /= 8
    return speed / 2 if link.get("both_directions") else speed


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
