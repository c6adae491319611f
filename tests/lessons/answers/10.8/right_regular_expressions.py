"""With regular expressions."""

import re
from statistics import fmean, pstdev


def read_log(text):
    rates = [float(one) for one in re.findall(r"^Iter #\d+: ([\d.]+) img/sec", text, re.MULTILINE)]
    gpus = int(re.search(r"Number of GPUs: (\d+)", text)[1])
    return {
        "model": re.search(r"Model: (\S+)", text)[1],
        "batch": int(re.search(r"Batch size: (\d+)", text)[1]),
        "gpus": gpus,
        "rates": rates,
        "mean": fmean(rates),
        "spread": 1.96 * pstdev(rates),
        "total": gpus * fmean(rates),
    }
