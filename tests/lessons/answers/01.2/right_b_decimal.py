"""Decimal arithmetic with rounding up, so that 0.29 is exactly 0.29."""

from decimal import ROUND_CEILING, Decimal


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    share = Decimal(str(data_bytes)) / (Decimal(str(node_bytes)) * Decimal(str(usable)))
    return int(share.to_integral_value(rounding=ROUND_CEILING))
