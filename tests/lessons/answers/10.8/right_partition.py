"""Right: partition of each line at the colon, without regular expressions; standard library only."""

from statistics import fmean, pstdev


def read_log(text):
    head, rates = {}, []
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if key.startswith("Iter"):
            rates.append(float(value.split()[0]))
        else:
            head[key] = value.strip()
    found = {
        "model": head["Model"],
        "batch": int(head["Batch size"]),
        "gpus": int(head["Number of GPUs"]),
        "rates": rates,
    }
    found["mean"] = fmean(rates)
    found["spread"] = 1.96 * pstdev(rates)
    found["total"] = found["mean"] * found["gpus"]
    return found
