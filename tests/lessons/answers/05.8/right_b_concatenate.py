"""Right: short NumPy arrays, one per flight, joined at the end."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    known = block.dropna(subset=["air_time"])
    lengths = known["air_time"].to_numpy().astype("int64")
    minute = np.concatenate([np.arange(0, dtype="int16")] + [np.arange(length, dtype="int16") for length in lengths])
    clock = np.repeat(known["departure"].to_numpy(dtype="int32"), lengths)
    clock += minute
    return pd.DataFrame(
        {"flight_row": np.repeat(known.index.to_numpy(dtype="int32"), lengths), "minute": minute, "clock": clock}
    )
