import pandas as pd


def airport_now(left, delay, asked, window=60.0):
    column = pd.Series(delay, index=left).sort_index()
    return tuple(
        0.0 if len(part := column[(column.index > t - window) & (column.index <= t)]) == 0 else float(part.mean())
        for t in asked
    )
