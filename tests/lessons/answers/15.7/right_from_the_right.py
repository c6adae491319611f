def best_split(gradients, hessians, penalty):
    def score(g, h):
        return g**2 / (h + penalty)

    found = []
    for f, (g, h) in enumerate(zip(gradients, hessians, strict=True)):
        for b in range(len(g) - 1):
            gain = score(g[: b + 1].sum(), h[: b + 1].sum()) + score(g[b + 1 :].sum(), h[b + 1 :].sum())
            found.append((gain - score(g.sum(), h.sum()), f, b))
    gain, f, b = max(found)
    return (f, b, gain) if gain > 1e-9 else (0, gradients.shape[1] - 1, 0.0)
