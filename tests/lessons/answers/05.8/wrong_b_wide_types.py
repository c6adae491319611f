"""Wrong: all three columns are int64, not int32, int16 and int32."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    known = block.dropna(subset=["air_time"])
    lengths = known["air_time"].to_numpy().astype("int64")
    minute = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    clock = np.repeat(known["departure"].to_numpy("int64"), lengths) + minute
    return pd.DataFrame(
        {"flight_row": np.repeat(known.index.to_numpy("int64"), lengths), "minute": minute, "clock": clock}
    )
