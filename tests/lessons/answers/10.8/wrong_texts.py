"""Wrong: batch and number of cards stay texts."""

import re

import numpy as np


def _head(text):
    return (
        re.search(r"Model: (\S+)", text)[1],
        int(re.search(r"Batch size: (\d+)", text)[1]),
        int(re.search(r"Number of GPUs: (\d+)", text)[1]),
        [float(rate) for rate in re.findall(r"Iter #\d+: ([\d.]+)", text)],
    )


def read_log(text):
    model, batch, gpus, rates = _head(text)
    mean = float(np.mean(rates))
    return {
        "model": model,
        "batch": str(batch),
        "gpus": str(gpus),
        "rates": rates,
        "mean": mean,
        "spread": 1.96 * float(np.std(rates)),
        "total": mean * gpus,
    }
