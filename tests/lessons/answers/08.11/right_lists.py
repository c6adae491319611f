def slopes(f, x, h=1e-5):
    result = []
    for i, value in enumerate(x):
        up, down = list(x), list(x)
        up[i], down[i] = value + h, value - h
        result.append((f(up) - f(down)) / h / 2)
    return tuple(result)
