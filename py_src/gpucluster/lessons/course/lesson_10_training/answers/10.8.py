# %% right regular_expressions: With regular expressions.
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

# %% right words: Words of lines; NumPy numbers, and a tuple of rates.
import numpy as np


def read_log(text):
    lines = [line.split() for line in text.strip().split("\n")]
    rates = np.array([words[2] for words in lines if words[0] == "Iter"], dtype=float)
    gpus = [np.int64(words[-1]) for words in lines if words[:3] == ["Number", "of", "GPUs:"]][0]
    return {
        "model": lines[0][1],
        "batch": np.int64(lines[1][2]),
        "gpus": gpus,
        "rates": tuple(rates),
        "mean": rates.mean(),
        "spread": 1.96 * np.sqrt(((rates - rates.mean()) ** 2).mean()),
        "total": rates.mean() * gpus,
    }

# %% wrong ddof: The standard deviation of a sample (n - 1), not that of np.std.
# fails: spread is 1.96 times the standard deviation of the rates, as in the benchmark
# ~ fmean, pstdev => fmean, stdev
# ~ 96 * pstdev(rates) => 96 * stdev(rates)

# %% wrong first_digit: Only one digit of the number of cards.
# fails: gpus is the whole number
# ~ int(re.search(r"Number of GPUs: (\d+)", text)[1]) => int(re.search(r"Number of GPUs: (\d)", text)[1])

# %% wrong five_iterations: Always five iterations.
# fails: rates are those of the iterations, in order
# ~ re.MULTILINE)] => re.MULTILINE)][:5]

# %% wrong median: The median.
# fails: mean is the mean of the rates, not rounded
# ~ import fmean, pstdev => import fmean, median, pstdev
# ~ "mean": fmean(rates) => "mean": median(rates)

# %% wrong reads_summary: Mean, spread and total are read from the summary, rounded, and missing in a job that was killed.
# fails: mean is the mean of the rates, not rounded
# fails: It runs without an error: AttributeError
# -         "mean": fmean(rates),
# -         "spread": 1.96 * pstdev(rates),
# -         "total": gpus * fmean(rates),
# +         "mean": float(re.search(r"Img/sec per GPU: ([\d.]+) \+-", text).group(1)),
# +         "spread": float(re.search(r"Img/sec per GPU: [\d.]+ \+-([\d.]+)", text).group(1)),
# +         "total": float(re.search(r"Total img/sec on \d+ GPU\(s\): ([\d.]+)", text).group(1)),

# %% wrong sorted: The rates are sorted.
# fails: rates are those of the iterations, in order
# ~ "rates": rates => "rates": sorted(rates)

# %% wrong texts: Batch and number of cards stay texts.
# fails: batch is one number
# ~ int(re.search(r"Batch size: (\d+)", text)[1]) => re.search(r"Batch size: (\d+)", text)[1]
# ~ "gpus": gpus => "gpus": str(gpus)

# %% wrong total_is_mean: The total of one card.
# fails: total is the mean, times the number of GPUs
# ~ gpus * fmean(rates) => fmean(rates)
