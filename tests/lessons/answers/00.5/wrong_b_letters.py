"""Wrong: rotates the letters of the text, not the names between the commas."""


def visible_to(worker, devices):
    return devices[2 * worker :] + "," + devices[: max(0, 2 * worker - 1)] if worker else devices
