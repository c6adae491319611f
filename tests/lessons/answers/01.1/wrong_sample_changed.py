def table_bytes(sample, n_rows):
    sample["size"] = 0
    del sample["size"]
    sample.drop(sample.index[0], inplace=True)
    return sample.memory_usage(deep=True, index=False).sum() / len(sample) * n_rows
