def best_split(gradients, hessians, penalty):
    features, bins = gradients.shape
    best = (0, bins - 1, 0.0)
    for f in range(features):
        G, H = gradients[f].sum(), hessians[f].sum()
        gl = hl = 0.0
        for b in range(bins - 1):
            gl += gradients[f, b]
            hl += hessians[f, b]
            gain = gl**2 / (hl + penalty) + (G - gl) ** 2 / (H - hl + penalty) - G**2 / (H + penalty)
            if gain > best[2] and gain > 1e-9:
                best = (f, b, gain)
    return best
