"""The result in MiB instead of bytes."""


def pool_size(card_mib, n_processes, context_mb=500):
    return max(0, (card_mib * 1024**2 * 9 // 10 - n_processes * context_mb * 1000**2) // 1024**2)
