"""Floats, and a number with a point as result."""


def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 2.0**20 * 0.9 - n_processes * context_mb * 1e6
    return float(max(room - room % 256, 0))
