import numpy as np

# %% right einsum: With einsum and masks that are kept.
def gradients(X, wanted, layers):
    inputs, masks, h = [], [], X
    n_layers = len(layers) // 2
    for k in range(n_layers):
        inputs.append(h)
        z = np.einsum("ni,ij->nj", h, layers[2 * k]) + layers[2 * k + 1][None, :]
        masks.append(z > 0)
        h = z if k == n_layers - 1 else z * (z > 0)
    h = h - np.max(h, axis=-1, keepdims=True)
    p = np.exp(h)
    norm = p.sum(-1, keepdims=True)
    p = p / norm
    loss = np.mean(np.log(norm[:, 0]) - np.sum(h * wanted, axis=-1))
    slopes = [None] * len(layers)
    d = (p - wanted) / X.shape[0]
    for k in reversed(range(n_layers)):
        slopes[2 * k] = np.einsum("ni,nj->ij", inputs[k], d)
        slopes[2 * k + 1] = np.ones(len(d)) @ d
        if k:
            d = np.einsum("nj,ij->ni", d, layers[2 * k]) * masks[k - 1]
    return np.array(loss), slopes

# %% right recursion: Each layer calls the next one, and gets its error back.
def gradients(X, wanted, layers):
    loss, _, slopes = through(X, wanted, list(layers), len(X))
    return float(loss), tuple(slopes)


def through(x, wanted, layers, n):
    w, b, *rest = layers
    out = x.dot(w) + b
    if rest:
        loss, error, slopes = through(np.where(out > 0, out, 0.0), wanted, rest, n)
        error = np.where(out > 0, error, 0.0)
    else:
        top = out.max(axis=1)[:, None]
        log_sum = top + np.log(np.exp(out - top).sum(axis=1))[:, None]
        loss = (log_sum[:, 0] - (out * wanted).sum(axis=1)).mean()
        error, slopes = (np.exp(out - log_sum) - wanted) / n, []
    return loss, error.dot(w.T), [x.T.dot(error), error.sum(0), *slopes]

# %% wrong bias_mean, edit of right recursion: The gradient of the bias is a mean of what is divided already.
# fails: Each gradient agrees with numerical differentiation to 1e-6
# ~ dot(error), error.sum(0), *slopes => dot(error), error.mean(0), *slopes

# %% wrong exp_of_large, edit of the solution: Large scores overflow.
# fails: With large scores, the loss stays finite and right
# -     scores = scores - scores.max(axis=1, keepdims=True)

# %% wrong pops_layers, edit of right recursion: Takes the layers out of the list that it was given.
# fails: Inputs are not modified
# ~ list(layers) => layers
# ~ b, *rest = layers => b = layers.pop(0), layers.pop(0)
# ~ if rest: => if layers:
# ~ wanted, rest, n => wanted, layers, n

# %% wrong three_layers_only, edit of the solution: Any network is one of three layers.
# fails: It runs without an error: IndexError
# ~ (0, len(layers), 2): => (0, 6, 2):
# ~ len(layers) => 6
