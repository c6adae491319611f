"""Wrong: minutes pass through int8, a flight of more than 127 minutes begins again below 0 (minute is int16)."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    known = block.dropna(subset=["air_time"])
    lengths = known["air_time"].to_numpy().astype("int64")
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    minute = (np.arange(lengths.sum()) - starts).astype("int8").astype("int16")
    clock = np.repeat(known["departure"].to_numpy(dtype="int32"), lengths) + minute
    return pd.DataFrame(
        {"flight_row": np.repeat(known.index.to_numpy(dtype="int32"), lengths), "minute": minute, "clock": clock}
    )
