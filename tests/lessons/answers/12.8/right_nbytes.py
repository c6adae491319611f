from fractions import Fraction


def shuffled_bytes(left, right, n_workers):
    held = sum(table[name].nbytes for table in (left, right) for name in table.columns)
    index = 8 * (left.shape[0] + right.shape[0])
    return int(Fraction(n_workers - 1, n_workers) * (held + index))
