"""Right: plain Python with accumulate; a later split must be really better."""

from itertools import accumulate


def score(g, h, penalty):
    return float(g) ** 2 / (float(h) + penalty) if h + penalty != 0 else 0.0


def best_split(gradients, hessians, penalty):
    best = (0, len(gradients[0]) - 1, 0.0)
    for feature, (g_row, h_row) in enumerate(zip(gradients, hessians)):
        g_left, h_left = list(accumulate(map(float, g_row))), list(accumulate(map(float, h_row)))
        g, h = g_left[-1], h_left[-1]
        for place in range(len(g_left) - 1):
            gl, hl = g_left[place], h_left[place]
            gain = score(gl, hl, penalty) + score(g - gl, h - hl, penalty) - score(g, h, penalty)
            if gain > max(best[2], 1e-9):
                best = (feature, place, gain)
    return best
