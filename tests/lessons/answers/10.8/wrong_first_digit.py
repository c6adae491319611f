"""Only one digit of the number of cards."""

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
            found["gpus"] = int(value.strip()[0])
        elif label.startswith("Iter #"):
            found["rates"].append(float(value.split()[0]))
    found["mean"] = float(np.mean(found["rates"]))
    found["spread"] = 1.96 * float(np.std(found["rates"]))
    found["total"] = found["gpus"] * found["mean"]
    return found
