"""Right: value_counts, and the smallest clock among all that have the largest number."""


def busiest(minutes):
    counts = minutes["clock"].value_counts().compute()
    most = counts.max()
    return int(most), int(min(counts.index[counts == most]))


peak = (191, 133674)
