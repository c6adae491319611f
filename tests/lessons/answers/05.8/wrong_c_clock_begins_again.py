"""Wrong: the clock begins again at 0 when the year ends."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    lengths = flown["air_time"].to_numpy().astype("int32")
    minute = (np.arange(lengths.sum()) - np.repeat(lengths.cumsum() - lengths, lengths)).astype("int32")
    return pd.DataFrame(
        {
            "flight_row": np.repeat(flown.index.to_numpy().astype("int32"), lengths),
            "minute": minute.astype("int16"),
            "clock": (np.repeat(flown["departure"].to_numpy().astype("int32"), lengths) + minute) % (365 * 1440),
        }
    )
