def staged_seconds(n_bytes, piece, stages):
    sizes = [piece] * (n_bytes // piece)
    if n_bytes % piece:
        sizes.append(n_bytes % piece)
    leaves = [0.0] * len(sizes)
    for startup, speed in stages:
        free = 0.0
        for number, size in enumerate(sizes):
            free = max(free, leaves[number]) + startup + size / speed
            leaves[number] = free
    return leaves[-1]
