"""One small array per flight."""

import numpy as np
import pandas as pd

TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    flown = block.dropna(subset=["air_time"])
    lengths = flown["air_time"].astype(int).to_numpy()
    minute = np.concatenate([np.empty(0, "int16"), *[np.arange(length, dtype="int16") for length in lengths]])
    row = np.repeat(flown.index.to_numpy(), lengths)
    clock = np.repeat(flown["departure"].to_numpy(), lengths) + minute
    return pd.DataFrame({"flight_row": row, "minute": minute, "clock": clock}).astype(TYPES)
