"""Rounds up to the next multiple of 256, so a few bytes too many are taken."""

import math


def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 2**20 * 9 // 10 - n_processes * context_mb * 10**6
    return max(0, math.ceil(left / 256) * 256)
