"""Takes the sum of both directions for one."""


def one_way(link):
    speed = link["value"] * 1e9
    if link["unit"] == "GT/s":
        speed *= link["lanes"] * link["encoding"][0] / link["encoding"][1]
    return speed if link["unit"] == "GB/s" else speed / 8


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
