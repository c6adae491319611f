"""Wrong: mean, spread and total are read from the summary, rounded, and missing in a job that was ended."""

import re


def _head(text):
    return (
        re.search(r"Model: (\S+)", text)[1],
        int(re.search(r"Batch size: (\d+)", text)[1]),
        int(re.search(r"Number of GPUs: (\d+)", text)[1]),
        [float(rate) for rate in re.findall(r"Iter #\d+: ([\d.]+)", text)],
    )


def read_log(text):
    model, batch, gpus, rates = _head(text)
    mean, spread = re.search(r"Img/sec per GPU: ([\d.]+) \+-([\d.]+)", text).groups()
    total = re.search(r"Total img/sec on \d+ GPU\(s\): ([\d.]+)", text)[1]
    return {
        "model": model,
        "batch": batch,
        "gpus": gpus,
        "rates": rates,
        "mean": float(mean),
        "spread": float(spread),
        "total": float(total),
    }
