"""Takes the tenth of what is left after the contexts, not of the card."""


def pool_size(card_mib, n_processes, context_mb=500):
    left = (card_mib * 2**20 - n_processes * context_mb * 10**6) * 9 // 10
    return max(0, left // 256 * 256)
