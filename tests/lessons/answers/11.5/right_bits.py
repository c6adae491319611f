"""Shifts and masks."""


def pool_size(card_mib, n_processes, context_mb=500):
    room = (card_mib << 20) * 9 // 10 - n_processes * context_mb * 1_000_000
    return room & ~255 if room > 0 else 0
