"""Right: pandas only: the index is repeated, and cumcount numbers the minutes."""

import pandas as pd


def minutes_in_air(block):
    known = block.loc[block["air_time"].notna(), ["departure", "air_time"]]
    rows = pd.Series(known.index.astype("int32"), name="flight_row").repeat(
        known["air_time"].astype("int64").to_numpy()
    )
    result = rows.reset_index(drop=True).to_frame()
    result["minute"] = result.groupby("flight_row").cumcount().astype("int16")
    result["clock"] = result["flight_row"].map(known["departure"]).astype("int32") + result["minute"]
    return result.astype({"flight_row": "int32", "minute": "int16", "clock": "int32"})
