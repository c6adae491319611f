"""A sum over a generator of list slices."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    threads = list(takes_a)
    warps = (threads[i : i + lanes] for i in range(0, len(threads), lanes))
    return sum((steps_a if any(w) else 0) + (0 if all(w) else steps_b) for w in warps)
