"""Style: exact fractions, divmod for the multiple."""

from fractions import Fraction


def pool_size(card_mib, n_processes, context_mb=500):
    card = Fraction(card_mib) * 1024**2
    left = card - card / 10 - n_processes * Fraction(context_mb) * 1000**2
    blocks, _ = divmod(left, 256)
    return max(0, int(blocks) * 256)
