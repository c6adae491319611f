def best_split(gradients, hessians, penalty):
    g, h = gradients.cumsum(1), hessians.cumsum(1)
    r, s = g[:, [-1]] - g, h[:, [-1]] - h
    gain = g * g / (h + penalty) + r * r / (s + penalty) - (g[:, -1] ** 2 / (h[:, -1] + penalty))[:, None]
    gain = gain[:, :-1]
    place = int(gain.argmax())
    if gain.flat[place] <= 1e-9:
        return [0, gradients.shape[1] - 1, 0]
    feature, b = divmod(place, gain.shape[1])
    return [feature, b, gain.flat[place]]
