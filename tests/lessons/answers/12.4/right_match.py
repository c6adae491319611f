def one_way(link):
    match link["unit"]:
        case "GT/s":
            speed = link["value"] * 10**9 * link["lanes"] * link["encoding"][0] / link["encoding"][1] / 8
        case "Gb/s":
            speed = link["value"] * 125_000_000
        case _:
            speed = link["value"] * 10**9
    return speed * (0.5 if link["both_directions"] else 1)


def seconds_to_move(n_bytes, link):
    return n_bytes / one_way(link)
