"""Wrong: a flight without air_time gets one row; it "gets no rows"."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    lengths = block["air_time"].fillna(1).to_numpy().astype("int64")
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    minute = (np.arange(lengths.sum()) - starts).astype("int16")
    clock = np.repeat(block["departure"].to_numpy(dtype="int32"), lengths) + minute
    return pd.DataFrame(
        {"flight_row": np.repeat(block.index.to_numpy(dtype="int32"), lengths), "minute": minute, "clock": clock}
    )
