def fit_link(sizes, seconds):
    slope = (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0])
    return seconds[0] - slope * sizes[0], abs(1 / slope)


def half_size(alpha, beta):
    return alpha * beta
