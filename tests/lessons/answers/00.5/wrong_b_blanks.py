"""Wrong: there are blanks after the commas, so the text is not the string that the table shows."""


def visible_to(worker, devices):
    names = devices.split(",")
    k = worker % len(names)
    return ", ".join(names[k:] + names[:k])
