"""Wrong: idxmax over counts that are not sorted by clock: the minute that comes first in the result, not "the first minute"."""


def busiest(minutes):
    counts = minutes.groupby("clock").size().compute()
    return int(counts.max()), int(counts.idxmax())


peak = (191, 463_281)
