"""Wrong: returns None where no split has a gain, instead of (0, last bin, 0.0)."""


def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        g, h = gradients[f].sum(), hessians[f].sum()
        for b in range(bins - 1):
            gl, hl = gradients[f, : b + 1].sum(), hessians[f, : b + 1].sum()
            gain = gl**2 / (hl + penalty) + (g - gl) ** 2 / (h - hl + penalty) - g**2 / (h + penalty)
            if gain > best[2] + 1e-9:
                best = (f, b, float(gain))
    return best if best[2] > 0 else None
