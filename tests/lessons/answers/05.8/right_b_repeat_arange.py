"""Right: np.repeat, and a running number less the number at which its flight began."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    air_time = block["air_time"].fillna(0).to_numpy().astype("int64")
    ends = np.cumsum(air_time)
    total = int(ends[-1]) if len(ends) else 0
    minute = np.arange(total, dtype="int32") - np.repeat((ends - air_time).astype("int32"), air_time)
    return pd.DataFrame(
        {
            "flight_row": np.repeat(block.index.to_numpy().astype("int32"), air_time),
            "minute": minute.astype("int16"),
            "clock": np.repeat(block["departure"].to_numpy().astype("int32"), air_time) + minute,
        }
    )
