"""Random numbers that belong to rows, so that they do not depend on blocks and order.

A number is a hash of a seed, a draw and the row's number among all rows: SplitMix64, G. L. Steele, D. Lea and
C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, section 5 (its finalizer is by D. Stafford).
"""

import numpy as np

from ..arrays import Array, array_namespace_of

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 0xFFFFFFFFFFFFFFFF


def uniform(like: Array, first_row: int, n_rows: int, seed: int, draw: int) -> Array:
    """Return one random number in (0, 1), float64, for each of some consecutive rows, on the device of ``like``.

    The seed is from 0 to 2**63 - 1; another draw gives other numbers.
    """
    xp = array_namespace_of(like)
    begin = _mixed(_mixed(seed & _MASK) ^ (draw * _GOLDEN & _MASK))
    numbers = xp.arange(first_row, first_row + n_rows, dtype=np.uint64)
    numbers *= np.uint64(_GOLDEN)
    numbers += np.uint64(begin)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> np.uint64(31)
    numbers >>= np.uint64(11)
    values = numbers.astype(np.float64)
    values += 0.5
    values *= 2.0**-53
    return values


def _mixed(number: int) -> int:
    """Return the same hash of one number."""
    number = (number + _GOLDEN) & _MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
    return number ^ (number >> 31)
