# %% right modulo
def visible_to(worker, devices):
    names = devices.split(",")
    return ",".join(names[(worker + i) % len(names)] for i in range(len(names)))

# %% right b_numpy_roll: numpy.roll on an array of texts.
import numpy as np


def visible_to(worker, devices):
    return ",".join(np.roll(np.array(devices.split(",")), -worker).tolist())

# %% right slices
# ~ [(worker + i) % len(names)] for i in range(len(names)) => [worker:] + names[:worker]

# %% wrong b_blanks: There are blanks after the commas, so the text is not the string that the table shows.
# fails: All devices are listed, and no others
# ~ ",".join => ", ".join

# %% wrong b_from_one: Counts the workers from 1, but the first worker has the number 0.
# fails: Worker number i starts with device number i
# ~ worker + i => worker - 1 + i

# %% wrong b_letters: Rotates the letters of the text, not the names between the commas.
# fails: All devices are listed, and no others
def visible_to(worker, devices):
    return devices[2 * worker :] + "," + devices[: max(0, 2 * worker - 1)] if worker else devices

# %% wrong b_list: Returns a Python list, not one string with commas.
# fails: It returns text
# ~ ",".join(names[(worker + i) % len(names)] for i in range(len(names))) => [names[(worker + i) % len(names)] for i in range(len(names))]

# %% wrong b_swap_first: Brings the own device to the front, but the others do not follow in a rotated order.
# fails: The others follow in order, and wrap around
# -     return ",".join(names[(worker + i) % len(names)] for i in range(len(names)))
# +     own = names.pop(worker % len(names))
# +     return ",".join([own] + names)

# %% wrong same_for_all
# fails: Worker number i starts with device number i
def visible_to(worker, devices):
    return devices
