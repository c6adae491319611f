"""An iterator that skips a value."""


def repair(command, scheduler):
    _, *words = command.split()
    words_left = iter(words)
    kept = []
    for word in words_left:
        if word.endswith("able-jit-unspill"):
            pass
        elif "--rmm-async" in words and word == "--rmm-pool-size":
            next(words_left)
        elif "--rmm-async" in words and word.startswith("--rmm-pool-size="):
            pass
        else:
            kept.append(word)
    return f"dask cuda worker {scheduler} {' '.join(kept)}".strip()
