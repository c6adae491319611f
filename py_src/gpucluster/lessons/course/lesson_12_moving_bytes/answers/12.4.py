# %% right fractions
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

# %% right match
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

# %% right one_line: Style: very short, NumPy float64.
import numpy as np


def one_way(link):
    bits = 8 if link["unit"][1] == "B" else 1
    lanes = np.divide(*link["encoding"]) * link["lanes"] if link["unit"] == "GT/s" else 1.0
    return np.float64(link["value"]) * bits * lanes * 10**9 / 8 / (1 + bool(link.get("both_directions", False)))


def seconds_to_move(n_bytes, link):
    return np.float64(n_bytes) / one_way(link)

# %% wrong 16_lanes, edit of the solution: Takes 16 lanes for every PCIe link.
# fails: The speed is in bytes per second, one way
# ~ link["lanes"] => 16

# %% wrong lanes_of_a_network, edit of the solution: Multiplies by the lanes in each unit but GB/s, but a value in Gb/s is that of all lanes.
# fails: The speed is in bytes per second, one way
# ~ speed *= link["lanes"] * data / bits => speed *= data / bits
# ~ speed /= 8 => speed *= link["lanes"] / 8

# %% wrong milliseconds, edit of the solution: seconds_to_move returns milliseconds.
# fails: The time is the bytes divided by that speed
# ~ return n_bytes => return 1000 * n_bytes
