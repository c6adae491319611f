"""Wrong: fails for a block of which no flight was in the air: there is nothing to concatenate."""

import numpy as np
import pandas as pd


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    lengths = flown["air_time"].astype(int).to_numpy()
    minute = np.concatenate([np.arange(length, dtype="int16") for length in lengths])
    return pd.DataFrame(
        {
            "flight_row": np.repeat(flown.index.to_numpy("int32"), lengths),
            "minute": minute,
            "clock": (np.repeat(flown["departure"].to_numpy(), lengths) + minute).astype("int32"),
        }
    )
