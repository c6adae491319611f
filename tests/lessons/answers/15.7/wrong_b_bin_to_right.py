"""Wrong: sends the bin itself to the right, but rows up to and with a bin go to the left."""


def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        g, h = gradients[f].sum(), hessians[f].sum()
        for b in range(1, bins):
            gl, hl = gradients[f, :b].sum(), hessians[f, :b].sum()
            gain = gl**2 / (hl + penalty) + (g - gl) ** 2 / (h - hl + penalty) - g**2 / (h + penalty)
            if gain > best[2] + 1e-9:
                best = (f, b, float(gain))
    return best
