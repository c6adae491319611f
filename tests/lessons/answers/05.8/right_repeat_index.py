"""The rows of the table are repeated, and counted."""

TYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}


def minutes_in_air(block):
    flown = block[block["air_time"].notna()]
    rows = flown.loc[flown.index.repeat(flown["air_time"].astype(int)), ["departure"]]
    rows = rows.assign(minute=rows.groupby(level=0).cumcount(), flight_row=rows.index)
    rows = rows.assign(clock=rows["departure"] + rows["minute"])
    return rows[["flight_row", "minute", "clock"]].astype(TYPES).reset_index(drop=True)
