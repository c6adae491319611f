"""The first iteration is left out as a warm-up."""

import numpy as np


def read_log(text):
    found = {"rates": []}
    for line in text.splitlines():
        label, _, value = line.partition(":")
        if label == "Model":
            found["model"] = value.strip()
        elif label == "Batch size":
            found["batch"] = int(value)
        elif label == "Number of GPUs":
            found["gpus"] = int(value)
        elif label.startswith("Iter #"):
            found["rates"].append(float(value.split()[0]))
    found["rates"] = found["rates"][1:]
    found["mean"] = float(np.mean(found["rates"]))
    found["spread"] = 1.96 * float(np.std(found["rates"]))
    found["total"] = found["gpus"] * found["mean"]
    return found
