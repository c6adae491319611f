"""Exact fractions, rounded down at the end."""

from fractions import Fraction
from math import floor


def pool_size(card_mib, n_processes, context_mb=500):
    card = Fraction(card_mib) * 1024 * 1024
    room = card - card / 10 - Fraction(n_processes) * context_mb * 10**6
    return max(0, floor(room / 256) * 256)
