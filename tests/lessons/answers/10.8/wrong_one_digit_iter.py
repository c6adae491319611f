"""Wrong: only Iter lines with a number of one digit are read, so from Iter #10 on they are lost."""

import re

import numpy as np


def read_log(text):
    rates = [float(rate) for rate in re.findall(r"Iter #\d: ([\d.]+)", text)]
    gpus = int(re.search(r"Number of GPUs: (\d+)", text)[1])
    mean = float(np.mean(rates))
    return {
        "model": re.search(r"Model: (\S+)", text)[1],
        "batch": int(re.search(r"Batch size: (\d+)", text)[1]),
        "gpus": gpus,
        "rates": rates,
        "mean": mean,
        "spread": 1.96 * float(np.std(rates)),
        "total": mean * gpus,
    }
