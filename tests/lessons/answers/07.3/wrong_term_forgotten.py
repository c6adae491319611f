def block_moments(block):
    rows = block.astype(float)
    mean = rows.mean(axis=0)
    return len(rows), mean, (rows - mean).T @ (rows - mean)


def merge(a, b):
    n = a[0] + b[0]
    return n, (a[0] * a[1] + b[0] * b[1]) / n, a[2] + b[2]
