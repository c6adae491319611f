"""Wrong: multiplies by the lanes in each unit but GB/s, but a value in Gb/s is that of all lanes."""


def one_way(link):
    speed = link["value"] * 1e9
    if link["unit"] != "GB/s":
        speed *= link["lanes"] / 8
    if link["unit"] == "GT/s":
        speed *= link["encoding"][0] / link["encoding"][1]
    return speed / 2 if link["both_directions"] else speed


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
