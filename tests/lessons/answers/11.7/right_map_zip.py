"""Style: map and zip, no comprehension."""

from operator import itemgetter, sub


def tiers(workers):
    metrics = list(map(itemgetter("metrics"), workers.values()))
    spilled = list(map(itemgetter("spilled_bytes"), metrics))
    managed = map(itemgetter("managed_bytes"), metrics)
    away = map(itemgetter("memory"), spilled)
    disk = map(itemgetter("disk"), spilled)
    return dict(zip(workers, zip(map(sub, managed, away), disk, strict=False), strict=False))
