"""Wrong: counts the columns of numbers only, and leaves the text out."""


def table_bytes(sample, n_rows):
    numbers = sample.select_dtypes("number")
    return numbers.memory_usage(deep=True, index=False).sum() / len(sample) * n_rows
