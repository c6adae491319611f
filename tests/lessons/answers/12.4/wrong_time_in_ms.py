def one_way(link):
    speed = link["value"] * 1e9
    if link["unit"] == "GT/s":
        speed *= link["lanes"] * link["encoding"][0] / link["encoding"][1]
    if link["unit"] != "GB/s":
        speed /= 8
    if link["both_directions"]:
        speed /= 2
    return speed


def seconds_to_move(n_bytes, link):
    return 1000 * n_bytes / one_way(link)
