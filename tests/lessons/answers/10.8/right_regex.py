"""Right: regular expressions on the whole text."""

import re

import numpy as np


def read_log(text):
    rates = [float(rate) for rate in re.findall(r"^\s*Iter #\d+:\s*([\d.]+)", text, re.M)]
    gpus = int(re.search(r"Number of GPUs:\s*(\d+)", text)[1])
    return {
        "model": re.search(r"Model:\s*(.*\S)", text)[1],
        "batch": int(re.search(r"Batch size:\s*(\d+)", text)[1]),
        "gpus": gpus,
        "rates": rates,
        "mean": float(np.mean(rates)),
        "spread": float(1.96 * np.std(rates)),
        "total": float(np.mean(rates)) * gpus,
    }
