"""Style: match on the unit, bits first, bytes at the end."""


def one_way(link):
    match link["unit"]:
        case "GT/s":
            data, total = link["encoding"]
            bits = link["value"] * 1e9 * link["lanes"] / total * data
        case "Gb/s":
            bits = link["value"] * 1e9
        case _:
            bits = link["value"] * 8e9
    if "both_directions" in link and link["both_directions"]:
        bits *= 0.5
    return bits / 8


def seconds_to_move(n_bytes, link):
    return 8 * n_bytes / (8 * one_way(link))
