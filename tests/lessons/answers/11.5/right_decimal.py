"""Style: the decimal module, remainder taken off, early return."""

from decimal import Decimal


def pool_size(card_mib, n_processes, context_mb=500):
    rest = Decimal(card_mib) * 1_048_576 * Decimal("0.9")
    for _ in range(n_processes):
        rest -= Decimal(context_mb) * 1_000_000
    if rest < 256:
        return 0
    return int(rest - rest % 256)
