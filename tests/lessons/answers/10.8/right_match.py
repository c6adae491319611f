"""Right: match statement on the words of a line."""

import numpy as np


def read_log(text):
    result = {"rates": []}
    for words in map(str.split, text.split("\n")):
        match words:
            case ["Model:", *name]:
                result["model"] = " ".join(name)
            case ["Batch", "size:", size]:
                result["batch"] = int(size)
            case ["Number", "of", "GPUs:", n]:
                result["gpus"] = int(n)
            case ["Iter", _, rate, *_]:
                result["rates"] += [float(rate)]
    a = np.array(result["rates"])
    result |= {"mean": a.mean(), "spread": a.std() * 1.96, "total": a.mean() * result["gpus"]}
    return result
