"""Wrong: absolute sums of gradients instead of their squares."""


def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        g, h = gradients[f].sum(), hessians[f].sum()
        for b in range(bins - 1):
            gl, hl = gradients[f, : b + 1].sum(), hessians[f, : b + 1].sum()
            gain = abs(gl) / (hl + penalty) + abs(g - gl) / (h - hl + penalty) - abs(g) / (h + penalty)
            if gain > best[2] + 1e-9:
                best = (f, b, float(gain))
    return best
