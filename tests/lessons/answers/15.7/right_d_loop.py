"""Two loops, with running sums."""


def best_split(gradients, hessians, penalty):
    n_features, n_bins = gradients.shape
    best = (0, n_bins - 1, 0.0)
    for feature in range(n_features):
        total_g, total_h = float(gradients[feature].sum()), float(hessians[feature].sum())
        g = h = 0.0
        for split in range(n_bins - 1):
            g += float(gradients[feature, split])
            h += float(hessians[feature, split])
            gain = (
                g * g / (h + penalty) + (total_g - g) ** 2 / (total_h - h + penalty) - total_g**2 / (total_h + penalty)
            )
            if gain > max(best[2], 1e-9):
                best = (feature, split, gain)
    return best
