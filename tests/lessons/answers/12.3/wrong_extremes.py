def fit_link(sizes, seconds):
    pairs = sorted(zip(sizes, seconds, strict=False))
    return pairs[0][1], pairs[-1][0] / pairs[-1][1]


def half_size(alpha, beta):
    return alpha * beta
