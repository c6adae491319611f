def fit_link(sizes, seconds):
    # Normal equations of two unknowns, with weights 1 / t**2.
    a = b = c = d = e = 0.0
    for n, t in zip(sizes, seconds, strict=False):
        n, t = float(n), float(t)
        a += 1 / t**2
        b += n / t**2
        c += n * n / t**2
        d += 1 / t
        e += n / t
    det = a * c - b * b
    alpha = (d * c - b * e) / det
    slope = (a * e - b * d) / det
    return alpha, 1 / slope


def half_size(alpha, beta):
    return alpha / (1 / beta)
