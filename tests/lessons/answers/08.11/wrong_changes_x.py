def slopes(f, x, h=1e-5):
    result = []
    for i in range(len(x)):
        x[i] += h
        above = f(x)
        x[i] -= 2 * h
        result.append((above - f(x)) / (2 * h))
    return result
