"""One context for all processes."""


def pool_size(card_mib, n_processes, context_mb=500):
    room = card_mib * 1024**2 * 9 // 10 - context_mb * 1000**2
    return max(0, room // 256 * 256)
